import type { laneView } from "../queue/lane-view.ts";
import type { Proposals } from "../steward/rules/proposals.ts";
import type { RelabelRow } from "../steward/rules/relabel.ts";
import { explainZeroCandidates, type ScanCounts } from "../steward/rules/scan.ts";
import { count, minuteOf, Said, span, Status, When } from "./format.tsx";
import { Rendered } from "./markdown.tsx";
import { waitText } from "./queue-waits.ts";
import { MemoLink, RunLink } from "./runs-words.tsx";
import { Fact } from "./session-facts.tsx";
import { ReportTable, type ShownRow } from "./session-report-rows.tsx";
import { Relabels, Words, type ShownWord } from "./session-report-words.tsx";
import type { Html, Shown } from "./shown.ts";

export type ReportModel = {
  runId: string;
  /** `waiting` while nobody has begun it. */
  status: string;
  /** How its lane stands, while it waits there. */
  lane: ReturnType<typeof laneView> | null;
  createdAt: number;
  startedAt: number | null;
  settledAt: number | null;
  requestedBy: string;
  memoId: string | null;
  memoTitle: string | null;
  apply: boolean;
  /** Markdown; null while the pass goes on. */
  report: string | null;
  /** Of it, what a host or a queue is under; null where that is nothing. */
  pressure: string | null;
  counts: ScanCounts | null;
  rows: readonly ShownRow[];
  proposals: Proposals;
  /** The proposals as they can be sent now. */
  words: readonly ShownWord[];
  relabel: readonly RelabelRow[];
  error: { code: string; message: string } | null;
};

/** One pass: what it looked at, decided and did, and what a person says to that. */
export function SessionReportPage(model: ReportModel, shown: Shown): Html {
  const { status, pressure, rows, words, relabel } = model;
  return (
    <>
      <p class="small">
        <a href="/steward/session-reports">All reports</a>
      </p>
      <div class="head">
        <h1>
          Session report, <span class="nowrap">{minuteOf(model.createdAt)}</span>
        </h1>
        <Status of={status} />
      </div>
      <Noted noted={shown.query["noted"]} />
      <HowNote model={model} shown={shown} />
      {pressure !== null && (
        <section class="note warn" aria-label="Host and queue">
          <Rendered text={pressure} />
        </section>
      )}
      <Facts model={model} shown={shown} />
      {rows.length > 0 && <ReportTable runId={model.runId} rows={rows} shown={shown} />}
      {words.length > 0 && <Words runId={model.runId} words={words} shown={shown} />}
      {relabel.length > 0 && <Relabels rows={relabel} />}
    </>
  );
}

const NOTED: Record<string, string> = {
  agreed: "It is on record that you see it as the report does.",
  disagreed: "It is on record that you see it otherwise; later judges are shown that.",
  sent: "It is in the session’s mailbox: its agent reads it with its next report of itself.",
};

const Noted = ({ noted }: { noted: string | undefined }): Html =>
  noted !== undefined && Object.hasOwn(NOTED, noted) ? (
    <p class="note good" role="status">
      {NOTED[noted]}
    </p>
  ) : (
    <></>
  );

/** In words: whether it may act, and how far it is. */
function HowNote({ model, shown }: { model: ReportModel; shown: Shown }): Html {
  const { status, apply, lane, error } = model;
  const isOver = status !== "waiting" && status !== "running" && status !== "suspended";
  if (error) {
    return (
      <div class="note bad">
        <p>
          <strong>The pass failed.</strong> <code>{error.code}</code>
        </p>
        <p>
          <Said text={error.message} />
        </p>
        <p>What it had found until then stands below{apply && ", and what it had done stays done"}.</p>
      </div>
    );
  }
  if (!isOver) {
    return (
      <div class="note">
        <p>
          <strong>{status === "waiting" ? "It has not begun." : "It is still at work."}</strong>{" "}
          {apply ? "It may end and flag what is sure." : "It is a dry run: it ends and flags nothing."}
          {lane?.waits && ` ${waitText(lane, shown.at).text}`}
        </p>
        <p>
          {status === "waiting" ? "Mostly that takes seconds. " : "Its table of sessions comes at its end. "}
          <a href={shown.here.split("?")[0]}>Load this page again</a> to see how far it is.
        </p>
      </div>
    );
  }
  if (status !== "done") return <p class="note">It was ended before it was over.</p>;
  return apply ? (
    <p class="note good">
      <strong>It acted.</strong> {actedText(model.rows)}
    </p>
  ) : (
    <p class="note">
      <strong>Dry run.</strong> Nothing was ended and nothing flagged
      {model.rows.length > 0 ? ": below stands what would have been done." : ", and nothing would have been."}
    </p>
  );
}

function actedText(rows: readonly ShownRow[]): string {
  const many = (outcome: ShownRow["outcome"]) => count(rows.filter((row) => row.outcome === outcome).length);
  return `${many("closed")} ended, ${many("flagged")} flagged, ${many("refused")} refused when looked at again.`;
}

function countsText({ live, busy, idle, excluded, terminal, terminalRelabel }: ScanCounts): string {
  const ended =
    terminal === 0
      ? ""
      : ` ${count(terminal)} ended, ${count(terminalRelabel)} of them lately and without a verdict.`;
  return `${count(live)} live: ${count(busy)} busy, ${count(idle)} idle; ${count(excluded)} left out.${ended}`;
}

function Facts({ model, shown }: { model: ReportModel; shown: Shown }): Html {
  const { counts, rows, createdAt, settledAt, memoId, memoTitle, status } = model;
  return (
    <section class="sheet" aria-label="Facts">
      {counts && <p>{rows.length === 0 ? explainZeroCandidates(counts) : countsText(counts)}</p>}
      <dl class="pairs">
        <Fact says="Asked by">
          <Said text={model.requestedBy} />
        </Fact>
        <Fact says={status === "waiting" ? "Asked" : "Began"}>
          <When at={createdAt} now={shown.at} />
          {settledAt !== null && `, took ${span(settledAt - createdAt)}`}
        </Fact>
        {memoId !== null && (
          <Fact says="Written in">
            <MemoLink memoId={memoId} title={memoTitle} />
          </Fact>
        )}
        {status !== "waiting" && (
          <Fact says="Steps">
            <RunLink runId={model.runId} says="The run of this pass" />
          </Fact>
        )}
      </dl>
    </section>
  );
}
