import type { readAudit } from "../runs/audit-view.ts";
import { Pager, Said, When } from "./format.tsx";
import { isListEnd, ListEnd, meaningOf, RunLink } from "./runs-words.tsx";
import type { Html, Shown } from "./shown.ts";

export type Act = Awaited<ReturnType<typeof readAudit>>["items"][number];
export type AuditModel = {
  /** Since when, as it was asked; empty for the whole record. */
  since: string;
  items: readonly Act[];
  nextCursor: string | null;
};

/** Who asked for what, and what came of it, newest first. */
export function AuditPage(model: AuditModel, shown: Shown): Html {
  const { since, items, nextCursor } = model;
  return (
    <>
      <div class="head">
        <h1>Audit</h1>
        <form method="get" action="/steward/audit" class="inline">
          <label for="since">Since</label>
          <input
            id="since"
            name="since"
            value={since}
            size={12}
            placeholder="7d"
            aria-describedby="since-help"
          />
          <button type="submit">Show</button>
        </form>
      </div>
      <p class="quiet small" id="since-help">
        A day such as 2027-01-31, or a span such as 7d or 12h. What is asked for is on record before it is
        done, so each line says whether it stands. Nothing here can be changed or taken away.
      </p>
      {isListEnd(model, shown) ? (
        <ListEnd />
      ) : items.length === 0 ? (
        <div class="empty">
          <p class="lead">
            {since === "" ? "Nothing is on record yet." : "Nothing is on record since then."}
          </p>
          <p>Decisions, refusals, cancelled and repeated runs and changes of keys leave a line here.</p>
        </div>
      ) : (
        <ul class="cards">
          {items.map((act) => (
            <ActRow act={act} shown={shown} />
          ))}
        </ul>
      )}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

const OUTCOMES = {
  stands: ["It stands", "ok"],
  taken_back: ["It was taken back", "warning"],
  lost: ["It did not come to be", "idle"],
  unknown: ["Its run is unknown", "idle"],
} as const;

function ActRow({ act, shown }: { act: Act; shown: Shown }): Html {
  const outcome = "outcome" in act ? OUTCOMES[act.outcome] : undefined;
  return (
    <li class="card row">
      <div class="what">
        <strong>
          <Said text={act.username} />
        </strong>{" "}
        {sentenceOf(act)}
        <p class="quiet">
          <Links act={act} />
          {act.keyId !== undefined && (
            <>
              by key <code>…{act.keyId.slice(-6)}</code>
            </>
          )}
        </p>
        {act.code !== undefined && (
          <p>
            Refused: {meaningOf(act.code)?.title ?? "for a reason of an earlier release"}{" "}
            <code>{act.code}</code>
          </p>
        )}
      </div>
      <div class="side">
        {outcome && <span class={`status status-${outcome[1]}`}>{outcome[0]}</span>}
        {act.code !== undefined && <span class="status status-rejected">Denied</span>}
        <span class="quiet">
          <When at={act.at} now={shown.at} />
        </span>
      </div>
    </li>
  );
}

/** What was asked for, in words. */
function sentenceOf(act: Act): Html {
  const verdict = (act.verdict ?? "decide").replaceAll("_", " ");
  const until =
    act.until === undefined
      ? ""
      : ` until ${new Date(act.until).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  switch (act.act) {
    case "decision_asked":
      return (
        <>
          said “{verdict}” to a hold{act.hasReason ? ", with a reason" : ""}
        </>
      );
    case "decision_denied":
      return act.verdict === undefined ? <>asked to decide a hold</> : <>asked for “{verdict}” of a hold</>;
    case "decision_taken_back":
      return <>took a decision back</>;
    case "hold_expired":
      return <>let a hold expire that nobody had decided</>;
    case "hold_snoozed":
      return <>snoozed a hold{until}</>;
    case "hold_unsnoozed":
      return <>brought a snoozed hold back</>;
    case "sign_in_link_made":
      return <>made a link to sign in by</>;
    case "signed_in":
      return <>signed in to these pages</>;
    case "session_nudged":
      return <>sent a session the word that a report proposed</>;
    case "verdict_agreed":
      return <>saw a session as “{verdict}”, as its judge did</>;
    case "verdict_disagreed":
      return <>saw a session as “{verdict}”, otherwise than its judge</>;
    case "schedule_switched":
      return <>switched a schedule {act.verdict === "live" ? "on" : "off"}</>;
    case "run_cancelled":
      return <>cancelled a run</>;
    case "item_cancelled":
      return <>withdrew an item</>;
    case "item_requeued":
      return <>put an item into the queue again</>;
    case "run_rerun":
      return <>ran a run again</>;
    case "run_forked":
      return (
        <>
          forked a run from step <code>{act.fromStep}</code>
        </>
      );
    case "key_made":
      return (
        <>
          made the key <code>…{act.ofKeyId?.slice(-6)}</code>
        </>
      );
    case "key_revoked":
      return (
        <>
          revoked the key <code>…{act.ofKeyId?.slice(-6)}</code>
        </>
      );
  }
}

/** What it was about. */
const Links = ({ act }: { act: Act }): Html => (
  <>
    {act.holdId !== undefined && (
      <>
        <a href={`/steward/holds/${act.holdId}`}>the hold</a>
        {" · "}
      </>
    )}
    {act.runId !== undefined && (
      <>
        <RunLink runId={act.runId} says="the run" />
        {"runStatus" in act && act.runStatus ? `, ${act.runStatus}` : ""}
        {" · "}
      </>
    )}
    {act.sessionId !== undefined && (
      <>
        <a href={`/steward/sessions/${encodeURIComponent(act.sessionId)}`}>the session</a>
        {" · "}
      </>
    )}
  </>
);
