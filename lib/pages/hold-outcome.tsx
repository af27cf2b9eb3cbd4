import { Said, When } from "./format.tsx";
import { HOLD_KINDS } from "./hold-words.ts";
import type { Hold, HoldModel } from "./hold.tsx";
import type { Html, Shown } from "./shown.ts";

type Props = { model: HoldModel; shown: Shown };

/** What was said of a hold, and what happens next; nothing while it is open. */
export function Outcome({ model, shown }: Props): Html {
  const { hold, decidedByMe } = model;
  const { decision } = hold;
  if (hold.open) return <></>;
  if (!decision) {
    return (
      <p class="note">
        Nobody decided it: the run has ended as {hold.run.status}, and nothing of this draft is written.
      </p>
    );
  }
  return (
    <div class={`note ${toneOf(hold)}`} role="status">
      <p>
        <strong>{SAID[decision.verdict]}.</strong> <Next model={model} />
      </p>
      <p class="quiet small">
        {decision.by === "system" ? (
          "By the system"
        ) : decidedByMe ? (
          "By you"
        ) : (
          <>
            By <Said text={decision.username} />
          </>
        )}
        , <When at={decision.at} now={shown.at} />
        {decision.reason !== null && (
          <>
            : “<Said text={decision.reason} />”
          </>
        )}
      </p>
      {model.mayTakeBack && shown.mayDecide && (
        <form method="post" action={`/steward/holds/${hold.holdId}/take-back`}>
          <input type="hidden" name="formToken" value={shown.formToken} />
          <input type="hidden" name="decisionId" value={decision.decisionId} />
          <button>Take back</button>
        </form>
      )}
    </div>
  );
}

const SAID = {
  approve: "Approved",
  approve_edited: "Approved, with changes",
  rebase: "Approved, merged",
  replace: "Approved, as it was drafted",
  keep_both: "Approved, as a memo of its own",
  request_changes: "Sent back",
  reject: "Rejected",
  cancel: "Cancelled",
  allow_once: "Allowed once",
  expire: "Expired",
} as const;

function toneOf({ takenBack, decision, run }: Hold): string {
  if (takenBack || run.status === "failed") return "warn";
  return decision && ["reject", "cancel", "expire"].includes(decision.verdict) ? "" : "good";
}

/** What comes of it, as far as it has come. */
function Next({ model: { hold, next } }: Pick<Props, "model">): Html {
  const { run, decision, takenBack } = hold;
  const after = hold.holds.find(({ holdId }) => holdId === next);
  const toNext = after && (
    <>
      <a href={`/steward/holds/${after.holdId}`}>
        {HOLD_KINDS[after.kind]} {after.revision}
      </a>{" "}
      {after.decision ? "was decided" : run.settledAt === null ? "waits" : "ended with the run"}
    </>
  );
  if (takenBack) return <>That was taken back: {toNext}.</>;
  switch (decision?.verdict) {
    case "reject":
    case "cancel":
      return <>Nothing was written, and the run has ended.</>;
    case "expire":
      return <>Nobody decided in time, so nothing was written and the run has ended.</>;
    case "request_changes":
      if (toNext) return <>It was written again: {toNext}.</>;
      return run.settledAt === null ? (
        <>The draft is written again within minutes and then waits as a hold of its own.</>
      ) : (
        <RunEnd hold={hold} />
      );
    case "allow_once":
      if (run.settledAt === null)
        return toNext ? <>The run went on: {toNext}.</> : <>The run goes on within minutes.</>;
      return <RunEnd hold={hold} />;
    default:
      if (toNext)
        return <>Before it landed the memo had changed, so it is asked how the two go together: {toNext}.</>;
      return run.settledAt === null ? <>It lands within minutes.</> : <RunEnd hold={hold} />;
  }
}

function RunEnd({ hold: { run } }: { hold: Hold }): Html {
  const { landing, error } = run;
  if (landing) {
    return (
      <>
        It is in your library:{" "}
        <a href={`/steward/memos/${landing.memoId}`}>the memo, version {landing.contentVersion}</a>.
      </>
    );
  }
  return (
    <>
      <a href={`/steward/runs/${run.runId}`}>The run</a> has ended as {run.status}
      {error && (
        <>
          : <Said text={error.message} />
        </>
      )}
      .
    </>
  );
}
