import { AppError } from "../lib/core/errors.ts";
import { listRuns, type RunPlace } from "../lib/runs/list-runs.ts";
import { runResult } from "../lib/runs/run-result.ts";
import { shownStatus } from "../lib/runs/run-view.ts";
import type { Run } from "../lib/runs/run.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { NAMES } from "../lib/steward/names.ts";
import type { ReportRow } from "../lib/steward/rules/report-rows.ts";
import type { Proposals } from "../lib/steward/rules/proposals.ts";
import type { RelabelRow } from "../lib/steward/rules/relabel.ts";
import type { ScanCounts } from "../lib/steward/rules/scan.ts";
import { record } from "../lib/steward/rules/reading.ts";

type Deps = { runs: RunStore };

/** A pass of the session steward in a list. */
export type ListedReport = {
  runId: string;
  status: string;
  createdAt: number;
  settledAt: number | null;
  /** Who asked for it. */
  requestedBy: string;
  memoId: string | null;
};

/** What a pass found, decided and did. Before it is over the parts that are there are shown. */
export type SessionReport = ListedReport & {
  startedAt: number | null;
  apply: boolean;
  /** Markdown; null while the pass goes on. */
  report: string | null;
  rows: readonly ReportRow[];
  proposals: Proposals;
  relabel: readonly RelabelRow[];
  counts: ScanCounts | null;
  error: { code: string; message: string } | null;
};

/** The passes of an owner, newest first. */
export async function listReports(
  deps: Deps,
  ownerUid: string,
  page: { limit: number; after: RunPlace | null },
): Promise<{ items: ListedReport[]; next: RunPlace | null }> {
  const { runs, next } = await listRuns(deps, ownerUid, {
    filter: { workflowId: NAMES.workflowId },
    ...page,
  });
  return { items: runs.map(listed), next };
}

/**
 * One pass with what it answered.
 * @throws {AppError} run_not_found, the same for another owner's and for a run of another workflow
 */
export async function readReport(deps: Deps, ownerUid: string, runId: string): Promise<SessionReport> {
  return shownReport(await passOf(deps, ownerUid, runId));
}

/** The same, with all that it answered, for what a person says to it. @throws {AppError} run_not_found */
export async function passOf(deps: Deps, ownerUid: string, runId: string) {
  const run = await deps.runs.readHead(runId);
  if (run?.ownerUid !== ownerUid || run.workflowId !== NAMES.workflowId) {
    throw new AppError("run_not_found", `there is no pass ${runId.slice(0, 100)}`, { runId });
  }
  const answered = await runResult(deps.runs, run);
  return {
    run,
    startedAt: answered?.startedAt ?? null,
    input: answered?.input ?? {},
    result: answered?.result,
  };
}

/** What a pass answered, as it is shown. */
export function shownReport({
  run,
  startedAt,
  input,
  result,
}: Awaited<ReturnType<typeof passOf>>): SessionReport {
  const { report, rows, proposals, relabel, scan } = record(result);
  return {
    ...listed(run),
    startedAt,
    apply: input["apply"] === true,
    report: typeof report === "string" ? report : null,
    rows: (rows ?? []) as ReportRow[],
    proposals: (proposals ?? { proposals: [], observed: [] }) as Proposals,
    relabel: (relabel ?? []) as RelabelRow[],
    counts: (record(scan).counts ?? null) as ScanCounts | null,
    error: run.status === "failed" && run.error ? { code: run.error.code, message: run.error.message } : null,
  };
}

const listed = (run: Run): ListedReport => ({
  runId: run.runId,
  status: shownStatus(run),
  createdAt: run.createdAt,
  settledAt: "settledAt" in run ? (run.settledAt ?? null) : null,
  requestedBy: run.requestedBy.username,
  memoId: "landing" in run && run.landing && "memoId" in run.landing ? String(run.landing.memoId) : null,
});
