import { shownStatus } from "../lib/runs/run-view.ts";
import type { Run } from "../lib/runs/run.ts";
import type { ReportRow } from "../lib/steward/rules/report-rows.ts";
import type { Proposals } from "../lib/steward/rules/proposals.ts";
import { record } from "../lib/steward/rules/reading.ts";
import type { RelabelRow } from "../lib/steward/rules/relabel.ts";
import type { ScanCounts } from "../lib/steward/rules/scan.ts";

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

/** A pass with all that it answered. */
export type Pass = {
  run: Run;
  startedAt: number | null;
  input: Record<string, unknown>;
  result: unknown;
};

/** What a pass answered, as it is shown. */
export function shownReport({ run, startedAt, input, result }: Pass): SessionReport {
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

/** The part of it that a list shows. */
export const listed = (run: Run): ListedReport => ({
  runId: run.runId,
  status: shownStatus(run),
  createdAt: run.createdAt,
  settledAt: "settledAt" in run ? (run.settledAt ?? null) : null,
  requestedBy: run.requestedBy.username,
  memoId: "landing" in run && run.landing && "memoId" in run.landing ? String(run.landing.memoId) : null,
});
