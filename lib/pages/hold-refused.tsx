import type { ErrorCode } from "../core/errors.ts";
import type { Decision } from "../runs/run.ts";
import { Said, span } from "./format.tsx";
import { holdTitle, type HoldModel } from "./hold.tsx";
import type { Html, Shown } from "./shown.ts";
import { TextDiff } from "./text-diff.tsx";

export type RefusedModel = HoldModel & {
  code: ErrorCode;
  title: string;
  detail: string;
  hint: string;
  /** What another has said. */
  decided: Decision | null;
  /** What the person was shown, where that is known. */
  shownText: string | null;
  /** What the person wrote. */
  own: string | null;
  reason: string | null;
  principalId: string;
};

/** Why a decision was not taken, and how to go on. */
export function HoldRefused(model: RefusedModel, shown: Shown): Html {
  const { hold, title, own, reason, code } = model;
  return (
    <>
      <h1>{title}</h1>
      <div class="note warn">
        <p>
          About “<Said text={holdTitle(model)} />
          ”: <Why model={model} shown={shown} />
        </p>
        <p>Nothing of what you sent was written.</p>
      </div>
      {code === "stale_proposal" && <Changed model={model} />}
      {own !== null && own !== "" && (
        <div class="sheet">
          <div class="field">
            <label for="own">Your text, to be copied</label>
            <textarea id="own" class="text" rows={10} readonly>
              {`\n${own}`}
            </textarea>
          </div>
        </div>
      )}
      {reason !== null && reason !== "" && (
        <p>
          What you wrote: “<Said text={reason} />”
        </p>
      )}
      <p class="actions">
        <a class="button primary" href={`/steward/holds/${hold.holdId}`}>
          {hold.open ? "Read the hold as it is now" : "See what became of it"}
        </a>
        {model.next !== null && (
          <a class="button" href={`/steward/holds/${model.next}`}>
            Go to the next hold
          </a>
        )}
        <a class="button" href="/steward/holds">
          All holds
        </a>
      </p>
      <p class="quiet small">
        <code>{code}</code>
      </p>
    </>
  );
}

function Why({ model, shown }: { model: RefusedModel; shown: Shown }): Html {
  const { code, decided, detail, hint, hold } = model;
  const left = hold.verdicts.map((verdict) => verdict.replaceAll("_", " ")).join(", ");
  switch (code) {
    case "already_decided":
      return decided ? (
        <>
          {decided.by === model.principalId ? (
            "you"
          ) : decided.by === "system" ? (
            "the system"
          ) : (
            <Said text={decided.username} />
          )}{" "}
          {SAID[decided.verdict]} {span(shown.at - decided.at)} ago. Only the first decision counts.
        </>
      ) : (
        <>{detail}</>
      );
    case "stale_proposal":
      return <>this hold shows other bytes than those that you decided on. Read it again, then decide.</>;
    case "stale_target":
      return <>the memo was changed again while you decided. Look at the merge with its newest version.</>;
    case "merge_conflicts":
      return (
        <>
          both sides changed the same lines. Merge them by hand: choose in each place and take the marks out.
        </>
      );
    case "self_approval_forbidden":
      return (
        <>whoever asked for a run does not decide on what it wrote. Ask another steward of this library.</>
      );
    case "decider_not_allowed":
      return <>its workflow names who may decide, and that is not you. Ask one of them: {detail}.</>;
    case "revisions_exhausted":
      return <>it was sent back as often as its workflow allows. Edit and approve it, or reject it.</>;
    case "verdict_not_allowed":
      return <>that cannot be said of it. What can: {left === "" ? "nothing any more" : left}.</>;
    case "hold_closed":
      return <>it is closed, since its run has gone on or ended.</>;
    case "too_late":
      return (
        <>
          it cannot be taken back any more: {detail}. What has landed is a version of the memo; the one before
          is kept.
        </>
      );
    default:
      return (
        <>
          <Said text={detail} />. {hint}
        </>
      );
  }
}

const SAID = {
  approve: "approved this",
  approve_edited: "approved this with changes",
  rebase: "approved a merge of this",
  replace: "approved this in place of the memo",
  keep_both: "approved this as a memo of its own",
  request_changes: "sent this back",
  reject: "rejected this",
  cancel: "cancelled the run",
  allow_once: "allowed it once",
  expire: "let this expire",
} as const;

/** What stood there, and what stands there now. */
function Changed({ model: { hold, shownText } }: { model: RefusedModel }): Html {
  return (
    <section class="sheet" aria-labelledby="changed">
      <h2 id="changed">What has changed</h2>
      {shownText === null ? (
        <p>
          The text that your decision names was never shown by a hold of this run, so there is nothing to
          compare with. Below is what stands here now.
        </p>
      ) : (
        <p class="quiet small">From the text that you decided on to the one that stands here now.</p>
      )}
      <TextDiff before={shownText ?? ""} after={hold.proposal?.text ?? ""} />
    </section>
  );
}
