import type { Child } from "hono/jsx";
import { count } from "./format.tsx";
import { RejectReason } from "./hold-reason.tsx";
import type { HoldModel } from "./hold.tsx";
import type { Html, Shown } from "./shown.ts";

type Props = { model: HoldModel; shown: Shown };

/** What may be said of an open hold: what is asked most is one click, what destroys asks for a reason. */
export function Decide({ model, shown }: Props): Html {
  const { hold } = model;
  const may = (verdict: string): boolean => hold.verdicts.some((each) => each === verdict);
  const of = { model, shown };
  return (
    <section class="sheet decide" aria-labelledby="decide">
      <h2 id="decide">{hold.kind === "budget" ? "Your answer" : "Your decision"}</h2>
      <div class="actions">
        {may("approve") && (
          <DecisionForm {...of} verdict="approve">
            <button class="primary" aria-keyshortcuts="a">
              Approve
            </button>
          </DecisionForm>
        )}
        {may("rebase") && <Rebase {...of} />}
        {may("allow_once") && (
          <DecisionForm {...of} verdict="allow_once">
            <button class="primary">Allow once</button>
          </DecisionForm>
        )}
        {may("approve_edited") && (
          <a class="button" aria-keyshortcuts="e" href={`/steward/holds/${hold.holdId}?view=edit`}>
            Edit and approve …
          </a>
        )}
        {may("keep_both") && (
          <DecisionForm {...of} verdict="keep_both">
            <button>Keep both, the draft as a memo of its own</button>
          </DecisionForm>
        )}
        {may("cancel") && (
          <DecisionForm {...of} verdict="cancel">
            <button class="danger">Cancel the run</button>
          </DecisionForm>
        )}
      </div>
      {may("replace") && <Replace {...of} />}
      {may("request_changes") && <SendBack {...of} />}
      {hold.kind === "output" && !may("request_changes") && (
        <p class="quiet small">No revisions left: it was sent back as often as the workflow allows.</p>
      )}
      {may("reject") && <Reject {...of} />}
      <Snooze {...of} />
    </section>
  );
}

/** What every decision carries: for exactly which bytes it is, and its own name, so that it counts once. */
export const DecisionFields = ({ model, shown }: Props): Html => (
  <>
    <input type="hidden" name="formToken" value={shown.formToken} />
    <input type="hidden" name="sha256" value={model.hold.sha256} />
    <input type="hidden" name="decisionId" value={model.decisionId} />
  </>
);

function DecisionForm(props: Props & { verdict: string; children: Child }): Html {
  const { model, shown, verdict, children } = props;
  return (
    <form method="post" action={`/steward/holds/${model.hold.holdId}/decision`}>
      <DecisionFields model={model} shown={shown} />
      <input type="hidden" name="verdict" value={verdict} />
      {children}
    </form>
  );
}

/** Onto which version a conflict is settled; another one in between refuses it. */
const OnVersion = ({ model: { hold } }: Pick<Props, "model">): Html => (
  <input type="hidden" name="onVersion" value={String(hold.conflict?.current ?? "")} />
);

function Rebase({ model, shown }: Props): Html {
  const { conflict, holdId } = model.hold;
  if (!conflict?.merged || conflict.merged.conflicts > 0) {
    return (
      <a class="button primary" href={`/steward/holds/${holdId}?view=edit`}>
        Merge by hand …
      </a>
    );
  }
  return (
    <>
      <DecisionForm model={model} shown={shown} verdict="rebase">
        <OnVersion model={model} />
        <button class="primary">Approve the merge</button>
      </DecisionForm>
      <a class="button" href={`/steward/holds/${holdId}?view=edit`}>
        Edit the merge …
      </a>
    </>
  );
}

const Replace = ({ model, shown }: Props): Html => (
  <details>
    <summary>Replace the memo with the draft …</summary>
    <DecisionForm model={model} shown={shown} verdict="replace">
      <p class="small">
        What was changed in version {model.hold.conflict?.current} is then gone from the memo; it stays among
        its versions.
      </p>
      <OnVersion model={model} />
      <button class="danger">Replace version {model.hold.conflict?.current}</button>
    </DecisionForm>
  </details>
);

const SendBack = ({ model, shown }: Props): Html => (
  <details>
    <summary aria-keyshortcuts="s">Send back …</summary>
    <DecisionForm model={model} shown={shown} verdict="request_changes">
      <div class="field">
        <label for="changes">What should be changed?</label>
        <textarea
          id="changes"
          name="reason"
          rows={3}
          maxlength={2000}
          required
          aria-describedby="changes-hint"
        />
        <p class="quiet small" id="changes-hint">
          The model reads this and writes the draft again. The new one waits here as a hold of its own;{" "}
          {count(model.hold.revisionsLeft)} {model.hold.revisionsLeft === 1 ? "revision is" : "revisions are"}{" "}
          left.
        </p>
      </div>
      <button>Send back</button>
    </DecisionForm>
  </details>
);

const Reject = ({ model, shown }: Props): Html => (
  <details>
    <summary aria-keyshortcuts="r">Reject …</summary>
    <DecisionForm model={model} shown={shown} verdict="reject">
      <p class="small">Nothing is written, and the run ends as cancelled. The reason stays on record.</p>
      <RejectReason />
      <button class="danger">Reject</button>
    </DecisionForm>
  </details>
);

const SPANS = [
  ["1d", "a day"],
  ["3d", "three days"],
  ["7d", "a week"],
] as const;

function Snooze({ model: { hold, snoozedUntil }, shown }: Props): Html {
  const token = <input type="hidden" name="formToken" value={shown.formToken} />;
  if (snoozedUntil !== null) {
    return (
      <form method="post" action={`/steward/holds/${hold.holdId}/unsnooze`}>
        {token}
        <button class="link">Show it in my list again</button>
      </form>
    );
  }
  return (
    <details>
      <summary>Snooze …</summary>
      <form method="post" action={`/steward/holds/${hold.holdId}/snooze`} class="actions">
        {token}
        <label for="until">Hide it from my list for</label>
        <select id="until" name="until">
          {SPANS.map(([value, says]) => (
            <option value={value}>{says}</option>
          ))}
        </select>
        <button>Snooze</button>
      </form>
    </details>
  );
}
