import type { laneView } from "../queue/lane-view.ts";
import { Fresh, minuteOf, Pager, Said, span, Status, When } from "./format.tsx";
import { waitText } from "./queue-waits.ts";
import { isListEnd, ListEnd, MemoLink } from "./runs-words.tsx";
import type { Html, Shown } from "./shown.ts";

export type ListedPass = {
  runId: string;
  status: string;
  createdAt: number;
  settledAt: number | null;
  requestedBy: string;
  memoId: string | null;
  memoTitle: string | null;
  /** Null where it is no longer known. */
  apply: boolean | null;
};

type Schedule = {
  expression: string;
  timeZone: string | null;
  status: "live" | "paused";
  nextAt: number | null;
  canSwitch: boolean;
};

export type SessionReportsModel = {
  /** On the first page alone. */
  steward: {
    schedules: readonly Schedule[];
    lane: ReturnType<typeof laneView>;
    /** The name of one press of the button. */
    press: string;
  } | null;
  items: readonly ListedPass[];
  nextCursor: string | null;
};

/** What the session steward found, pass by pass; whether it comes by itself, and a look of it now. */
export function SessionReports(model: SessionReportsModel, shown: Shown): Html {
  const { steward, items, nextCursor } = model;
  return (
    <>
      <div class="head">
        <h1>Session steward</h1>
        <p class="quiet">
          It looks at every live session, ends or flags the idle ones that it is sure of, and says why. A
          person’s session is never ended.
        </p>
      </div>
      {steward && <Steward steward={steward} shown={shown} />}
      <Fresh of="runId" at={shown.at} />
      {isListEnd(model, shown) ? (
        <ListEnd />
      ) : items.length === 0 ? (
        <div class="empty">
          <p class="lead">It has not looked yet.</p>
          <p>
            A dry run ends and flags nothing: it says of each session what would become of it, and why. Begin
            with one of those.
          </p>
        </div>
      ) : (
        <section class="stack" aria-labelledby="passes">
          <h2 id="passes">Reports</h2>
          <ul class="cards">
            {items.map((pass) => (
              <PassRow pass={pass} shown={shown} />
            ))}
          </ul>
        </section>
      )}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

function Steward({
  steward: { schedules, lane, press },
  shown,
}: {
  steward: NonNullable<SessionReportsModel["steward"]>;
  shown: Shown;
}): Html {
  return (
    <>
      {lane.waits && <p class="note warn">{waitText(lane, shown.at).text}</p>}
      <div class="charts">
        <section class="sheet" aria-labelledby="schedule">
          <h2 id="schedule">By itself</h2>
          {schedules.map((schedule) => (
            <ScheduleForm schedule={schedule} shown={shown} />
          ))}
        </section>
        <section class="sheet" aria-labelledby="look">
          <h2 id="look">Now</h2>
          {shown.mayDecide && shown.scopes.includes("items:enqueue") ? (
            <LookForm press={press} shown={shown} />
          ) : (
            <p class="quiet">Who may decide holds may have it look at once.</p>
          )}
        </section>
      </div>
    </>
  );
}

function ScheduleForm({ schedule, shown }: { schedule: Schedule; shown: Shown }): Html {
  const { expression, timeZone, status, nextAt, canSwitch } = schedule;
  const isOn = status === "live";
  return (
    <>
      <p>
        <span class={`status ${isOn ? "status-live" : ""}`}>{isOn ? "on" : "off"}</span>{" "}
        {everyText(expression)}
        {timeZone !== null && `, ${timeZone}`}
        {isOn && nextAt !== null && (
          <>
            , next <When at={nextAt} now={shown.at} />
          </>
        )}
      </p>
      <p class="quiet small">
        {isOn
          ? "These passes act: what is sure within the steward’s bounds is ended or flagged without asking."
          : "Switched on, its passes act: what is sure within the steward’s bounds is ended or flagged without asking."}
      </p>
      {canSwitch && shown.mayDecide && (
        <form method="post" action="/steward/session-reports/schedule" class="actions">
          <input type="hidden" name="formToken" value={shown.formToken} />
          <input type="hidden" name="status" value={isOn ? "paused" : "live"} />
          <button>{isOn ? "Switch it off" : "Switch it on"}</button>
        </form>
      )}
    </>
  );
}

/** `rate(1 hour)` as a person would say it; another expression as it is written. */
function everyText(expression: string): string {
  const [, many, unit] = /^rate\((\d+) (\w+?)s?\)$/.exec(expression) ?? [];
  if (many === undefined) return expression;
  return many === "1" ? `every ${unit}` : `every ${many} ${unit}s`;
}

const LookForm = ({ press, shown }: { press: string; shown: Shown }): Html => (
  <form method="post" action="/steward/session-reports/look" class="stack look">
    <input type="hidden" name="formToken" value={shown.formToken} />
    <input type="hidden" name="press" value={press} />
    <fieldset class="choices">
      <legend>What may it do?</legend>
      <label>
        <input type="radio" name="how" value="dry" checked /> Dry run: only look and report
      </label>
      <label>
        <input type="radio" name="how" value="act" /> Look and act: end and flag what is sure
      </label>
    </fieldset>
    <div class="actions">
      <button class="primary">Look now</button>
    </div>
  </form>
);

function PassRow({ pass, shown }: { pass: ListedPass; shown: Shown }): Html {
  const { runId, status, apply, createdAt, settledAt, requestedBy, memoId, memoTitle } = pass;
  return (
    <li class="card row" data-id={runId}>
      <div class="what">
        <a href={`/steward/session-reports/${runId}`}>
          {apply === null ? "A pass" : apply ? "Look and act" : "Dry run"}, {minuteOf(createdAt)}
        </a>{" "}
        <Status of={status} />
        <p class="quiet">
          asked by <Said text={requestedBy} />
          {memoId !== null && (
            <>
              {" "}
              · written down in <MemoLink memoId={memoId} title={memoTitle} />
            </>
          )}
        </p>
      </div>
      <dl class="facts">
        <div>
          <dt>Began</dt>
          <dd>
            <When at={createdAt} now={shown.at} />
          </dd>
        </div>
        <div>
          <dt>{settledAt === null ? "So far" : "Took"}</dt>
          <dd>{span((settledAt ?? shown.at) - createdAt)}</dd>
        </div>
      </dl>
    </li>
  );
}
