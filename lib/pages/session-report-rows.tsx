import { decisionLabel } from "../steward/rules/decide.ts";
import type { ReportRow } from "../steward/rules/report-rows.ts";
import { count, Said } from "./format.tsx";
import { Short } from "./runs-words.tsx";
import { Answer } from "./session-report-answer.tsx";
import type { Html, Shown } from "./shown.ts";

export type JudgedBy = "rules" | "agent" | "calibrated" | "itself" | "memory";

export type ShownRow = ReportRow & {
  /** Null where nobody did, or nobody could be understood. */
  judgedBy: JudgedBy | null;
  /** The steward leaves it to a person. */
  needsPerson: boolean;
  /** What people have said of it. */
  said: readonly { username: string; verdict: string }[];
};

const JUDGES: Record<JudgedBy, string> = {
  rules: "by the rules",
  agent: "by the judging agent",
  calibrated: "by the calibrated judge",
  itself: "by its own word",
  memory: "from the memory",
};

type Props = { runId: string; rows: readonly ShownRow[]; shown: Shown };

/** Every session that there was something to say of; those that wait for a person stand first. */
export function ReportTable({ runId, rows, shown }: Props): Html {
  const open = rows.filter(({ needsPerson }) => needsPerson).length;
  const waiting = open > 0;
  const columns = ["Session", "Idle", "Verdict", "Sure", "What came of it", "Why"];
  return (
    <section class="sheet" aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      {waiting && (
        <p class="quiet small">
          {open === 1 ? "The first of them waits" : `The first ${count(open)} of them wait`} for a person: the
          steward was not sure, or may do no more.
        </p>
      )}
      <div class="scroll" tabindex={0} role="region" aria-label="Sessions of this report">
        <table class="stacks" role="table">
          <thead role="rowgroup">
            <tr role="row">
              {[...columns, ...(waiting ? ["Your word"] : [])].map((name) => (
                <th scope="col" role="columnheader">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <Row runId={runId} row={row} waiting={waiting} shown={shown} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Row(props: { runId: string; row: ShownRow; waiting: boolean; shown: Shown }): Html {
  const { runId, row, waiting, shown } = props;
  const { sessionId, label, idleMinutes, verdict, judgedBy, confidence, reason } = row;
  return (
    <tr role="row" id={sessionId}>
      <th scope="row" role="rowheader" class="words">
        <a href={`/steward/sessions/${sessionId}`}>
          <Short text={label ?? sessionId} />
        </a>
        <p class="quiet small">
          <Origin row={row} />
        </p>
      </th>
      <td role="cell" data-says="Idle" class="nowrap">
        {idleMinutes === null ? "–" : idleText(idleMinutes)}
      </td>
      <td role="cell" data-says="Verdict" class="judged">
        {verdict === null ? <span class="nil">none</span> : <Said text={verdict} />}
        <p class="quiet small">{judgedBy === null ? "not judged" : JUDGES[judgedBy]}</p>
      </td>
      <td role="cell" data-says="Sure" class="nowrap">
        {confidence === null ? <span class="nil">–</span> : confidence.toFixed(2)}
      </td>
      <td role="cell" data-says="What came of it">
        <Came row={row} />
      </td>
      <td role="cell" data-says="Why" class="text">
        <Said text={reason} />
      </td>
      {waiting && (
        <td role="cell" data-says="Your word" class="say">
          {row.needsPerson && <Answer runId={runId} row={row} shown={shown} />}
        </td>
      )}
    </tr>
  );
}

const Origin = ({ row: { origin, user } }: { row: ShownRow }): Html => (
  <>
    {origin === null ? "no origin" : <Said text={origin} />}
    {user && " (a person’s)"}
  </>
);

function idleText(minutes: number): string {
  if (minutes < 100) return `${Math.round(minutes)} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / (24 * 60))} d`;
}

const CAME = {
  closed: ["ended", "status-done"],
  flagged: ["flagged", "status-waiting"],
  refused: ["refused", "status-failed"],
} as const;

/** What an apply did, and under it what had been decided. */
function Came({ row: { outcome, error, decision } }: { row: ShownRow }): Html {
  const decided = decision === null ? "nothing decided" : decisionLabel(decision);
  if (outcome === null) return <>{decided}</>;
  const [word, status] = CAME[outcome];
  return (
    <>
      <span class={`status ${status}`}>{word}</span>
      <p class="quiet small">
        {decided}
        {error !== null && (
          <>
            : <Said text={error.replaceAll("_", " ")} />
          </>
        )}
      </p>
    </>
  );
}
