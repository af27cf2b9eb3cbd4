import type { Memo } from "../memos/memo.ts";
import { Said, When } from "./format.tsx";
import { Rendered, Written } from "./markdown.tsx";
import type { Html } from "./shown.ts";

/** Each tag as a way to the memos that have it. */
export const Tags = ({ tags }: { tags: readonly string[] }): Html => (
  <>
    {tags.map((tag) => (
      <a class="tag" href={`/steward/memos?tag=${encodeURIComponent(tag.toWellFormed())}`}>
        <Said text={tag} />
      </a>
    ))}
  </>
);

type By = Pick<Memo, "runId" | "writtenBy">;

/** Who wrote a version: a person, or a run that somebody asked for. */
export const WrittenBy = ({ by: { runId, writtenBy } }: { by: By }): Html => (
  <>
    <Said text={writtenBy.username} />
    {runId !== null && (
      <>
        {" "}
        by run{" "}
        <a href={`/steward/runs/${runId}`}>
          <code>{runId.slice(0, 12)}</code>
        </a>
      </>
    )}
  </>
);

/** The first letters of a hash; the whole of it for whoever asks. */
export const Hash = ({ of }: { of: string }): Html => (
  <code title={of}>{of.replace(/^sha256:/, "").slice(0, 12)}</code>
);

type Texts = Pick<Memo, "body" | "notes" | "notesTags">;

/** A version's two texts, laid out or as they were written. */
export const MemoTexts = ({ memo, isRaw }: { memo: Texts; isRaw: boolean }): Html => (
  <>
    <section class="sheet" aria-label="Text">
      {memo.body.trim() === "" ? (
        <p class="quiet">It has no text.</p>
      ) : (
        <Text text={memo.body} isRaw={isRaw} />
      )}
    </section>
    {(memo.notes.trim() !== "" || memo.notesTags.length > 0) && (
      <section class="sheet" aria-labelledby="notes">
        <h2 id="notes">Notes</h2>
        {memo.notesTags.length > 0 && (
          <p class="marks">
            {memo.notesTags.map((tag) => (
              <span class="tag">
                <Said text={tag} />
              </span>
            ))}
          </p>
        )}
        {memo.notes.trim() !== "" && <Text text={memo.notes} isRaw={isRaw} />}
      </section>
    )}
  </>
);

const Text = ({ text, isRaw }: { text: string; isRaw: boolean }): Html =>
  isRaw ? <Written text={text} /> : <Rendered text={text} />;

/** How a version's texts are shown, as links. */
export const TextTabs = ({ path, isRaw }: { path: string; isRaw: boolean }): Html => (
  <nav class="tabs" aria-label="How the text is shown">
    <ul>
      <li>
        <a href={path} aria-current={isRaw ? undefined : "true"}>
          Rendered
        </a>
      </li>
      <li>
        <a href={`${path}?as=raw`} aria-current={isRaw ? "true" : undefined}>
          Raw
        </a>
      </li>
    </ul>
  </nav>
);

/** When a version was written and by whom, in a line. */
export const Provenance = (props: {
  memo: By & Pick<Memo, "contentVersion" | "updatedAt">;
  now: number;
}): Html => (
  <p class="quiet">
    Version {props.memo.contentVersion}, written <When at={props.memo.updatedAt} now={props.now} /> by{" "}
    <WrittenBy by={props.memo} />
  </p>
);
