import { utf8Bytes } from "../core/bytes.ts";
import { count, Said } from "./format.tsx";
import { DecisionFields } from "./hold-forms.tsx";
import { holdTitle, type HoldModel } from "./hold.tsx";
import { Rendered } from "./markdown.tsx";
import type { Html, Shown } from "./shown.ts";
import { TextDiff } from "./text-diff.tsx";

/** A person's own text in place of the draft's, as far as it is written. */
export type EditModel = HoldModel & {
  own: { title: string | null; text: string; onVersion: string | null };
  isPreview: boolean;
};

/** The draft as a text to be changed, with what the changes come to. */
export function HoldEdit(model: EditModel, shown: Shown): Html {
  const { hold, own, isPreview } = model;
  const { proposal, holdId } = hold;
  const isMerge = hold.kind === "conflict";
  if (!proposal || !hold.open || !shown.mayDecide) return <Closed model={model} />;
  const of = isMerge ? (hold.conflict?.theirs?.text ?? "") : proposal.text;
  return (
    <>
      <p class="small">
        <a href={`/steward/holds/${holdId}`}>Back to the hold</a>
      </p>
      <h1>
        {isMerge ? "Merge" : "Edit"}: <Said text={holdTitle(model)} />
      </h1>
      {isPreview && <Preview model={model} of={of} />}
      <form
        method="post"
        action={`/steward/holds/${holdId}/decision`}
        class="sheet"
        enctype="multipart/form-data"
      >
        <DecisionFields model={model} shown={shown} />
        <input type="hidden" name="verdict" value={isMerge ? "rebase" : "approve_edited"} />
        {own.onVersion !== null && <input type="hidden" name="onVersion" value={own.onVersion} />}
        {own.title !== null && (
          <div class="field">
            <label for="title">Title</label>
            <input id="title" name="title" maxlength={300} required value={own.title} />
          </div>
        )}
        <div class="field">
          <label for="text">Text</label>
          {isMerge && (
            <p class="quiet small" id="text-hint">
              Where both sides changed the same lines, both stand here between marks. Choose, and take the
              marks out.
            </p>
          )}
          {/* A browser takes the first line end away. */}
          <textarea id="text" name="text" class="text" rows={24} dir="auto" spellcheck required>
            {`\n${own.text}`}
          </textarea>
        </div>
        <div class="actions">
          <button formaction={`/steward/holds/${holdId}/preview`} formnovalidate>
            Preview
          </button>
          <button class="primary">{isMerge ? "Approve this merge" : "Approve this text"}</button>
          <a class="button" href={`/steward/holds/${holdId}`}>
            Discard
          </a>
        </div>
      </form>
    </>
  );
}

function Preview({ model: { own, hold }, of }: { model: EditModel; of: string }): Html {
  const bytes = utf8Bytes(own.text);
  return (
    <section class="sheet" aria-labelledby="preview">
      <h2 id="preview">Preview</h2>
      <p class="quiet small">
        Nothing is decided yet. {count(bytes)} bytes; this is what you change of{" "}
        {hold.kind === "conflict" ? "the memo as it is now" : "the draft"}:
      </p>
      <TextDiff before={of} after={own.text} />
      <details open>
        <summary>How it would read</summary>
        <Rendered text={own.text} />
      </details>
    </section>
  );
}

const Closed = ({ model: { hold } }: { model: EditModel }): Html => (
  <>
    <h1>There is nothing to edit here</h1>
    <p>
      {hold.open ? "You read here; a steward edits and approves." : "This hold is decided or closed."}{" "}
      <a href={`/steward/holds/${hold.holdId}`}>Back to the hold</a>
    </p>
  </>
);
