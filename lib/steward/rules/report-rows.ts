import { collectApplyResults, judgedDecision, ruleDecision, type ApplyResult } from "./apply-queues.ts";
import { entriesOf } from "./candidates.ts";
import { decisionLabel, type Decision } from "./decide.ts";
import { classifyOrigin } from "./origin.ts";
import type { PlanEntry } from "./plan.ts";
import { reasonsText } from "./plan-reason.ts";
import { filled, finite, list, record } from "./reading.ts";
import type { VerdictRow } from "./verdicts.ts";

/** What a pass has come to so far: its input, and the outputs of its steps by their ids. */
export type StewardRun = { input?: unknown; steps?: unknown };

export type ReportRow = {
  class: "close" | "stuck" | "judge";
  sessionId: string;
  label: string | null;
  origin: string | null;
  /** A person's, which is never ended. */
  user: boolean;
  idleMinutes: number | null;
  rssBytes: number | null;
  verdict: string | null;
  /** Null where nobody said it, or the memory did. */
  saidBy: "rules" | "jev" | "agent" | "declared" | null;
  confidence: number | null;
  reason: string;
  /** Null where nothing was to be decided. */
  decision: Decision | null;
  /** What an apply did; null where it did not come to it. */
  outcome: "closed" | "flagged" | "refused" | null;
  error: string | null;
};

const SAID_BY: Record<string, ReportRow["saidBy"]> = { jev: "jev", judged: "agent", declared: "declared" };

/** The rows of a pass's table: what the rules decide, what was judged, and what was not judged this time. */
export function reportRows(run: StewardRun): ReportRow[] {
  const steps = record(run.steps);
  const { settings, autoApply, judgedApply } = steps;
  const { close, stuck, judgeOverflow } = record(steps.candidatesPlus ?? steps.candidates);
  const results = collectApplyResults(autoApply, judgedApply);
  const ruled = [...entriesOf(close), ...entriesOf(stuck)].map((entry) => ruleRow(entry, settings));
  const judged = verdictRowsOf(run).map((row) => judgedRow(row, settings));
  const left = entriesOf(judgeOverflow).map((entry) => overflowRow(entry, settings));
  return [...ruled, ...judged, ...left].map((row) => withOutcome(row, results.get(row.sessionId)));
}

export const verdictRowsOf = (run: StewardRun): VerdictRow[] =>
  list(record(run.steps).finalVerdicts).filter((row): row is VerdictRow => !!filled(idOf(row)));

const idOf = (row: unknown) => record(record(row).entry).sessionId;

function ruleRow(entry: PlanEntry, settings: unknown): ReportRow {
  const planClass = entry.class === "stuck" ? "stuck" : "close";
  return {
    ...aboutEntry(entry, settings),
    class: planClass,
    verdict: planClass === "stuck" ? "abandoned" : "done",
    saidBy: "rules",
    reason: reasonsText(list(entry.reasons)),
    decision: ruleDecision({ ...entry, class: planClass }, settings),
  };
}

function judgedRow(row: VerdictRow, settings: unknown): ReportRow {
  return {
    ...aboutEntry(row.entry, settings),
    class: "judge",
    verdict: filled(row.verdict) ?? null,
    saidBy: SAID_BY[row.source] ?? null,
    confidence: finite(row.confidence) ?? null,
    reason: filled(row.reason) ?? "",
    decision: judgedDecision(row, settings),
  };
}

const overflowRow = (entry: PlanEntry, settings: unknown): ReportRow => ({
  ...aboutEntry(entry, settings),
  class: "judge",
  verdict: null,
  saidBy: null,
  reason: "not judged this run",
  decision: null,
});

function aboutEntry(entry: PlanEntry, settings: unknown) {
  return {
    sessionId: entry.sessionId,
    label: filled(entry.label) ?? null,
    origin: filled(entry.origin) ?? null,
    user: classifyOrigin(entry, settings) === "user",
    idleMinutes: finite(entry.idleMinutes) ?? null,
    rssBytes: finite(entry.rssBytes) ?? null,
    confidence: null,
    outcome: null,
    error: null,
  };
}

function withOutcome(row: ReportRow, result: ApplyResult | undefined): ReportRow {
  if (!result) return row;
  if (!result.ok) return { ...row, outcome: "refused", error: filled(result.error) ?? null };
  return { ...row, outcome: result.action === "closed" ? "closed" : "flagged" };
}

/** What was done with a session in words: what an apply came to, and what had been decided. */
export function actionText({ outcome, error, decision }: ReportRow): string {
  const decided = decision ? decisionLabel(decision) : "none";
  if (outcome === null) return decided;
  return `${outcome}${error === null ? "" : ` (${error})`}; ${decided}`;
}
