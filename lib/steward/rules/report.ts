import { verdictRowsOf, reportRows, actionText, type ReportRow, type StewardRun } from "./report-rows.ts";
import { inlineText, megabytes, tableRow } from "./report-text.ts";
import { hostLines, memoryLines, proposalLines, relabelLines } from "./report-sections.ts";
import { finite, list, record } from "./reading.ts";
import { explainZeroCandidates } from "./scan.ts";
import { entriesOf } from "./candidates.ts";

/** What a pass has to show. */
export type StewardResult = {
  /** Markdown. */
  report: string;
  apply: boolean;
  candidates: unknown;
  verdicts: unknown;
  autoApply: unknown;
  judgedApply: unknown;
  proposals: unknown;
  relabel: unknown;
  scan: unknown;
};

/** The result of a pass, with its report as Markdown; what others wrote in it cannot change the form of it. */
export function buildReport(run: StewardRun): StewardResult {
  const { settings, candidatesPlus, finalVerdicts, autoApply, judgedApply, proposals, relabelQueue, scan } =
    record(run.steps);
  return {
    report: reportMarkdown(run),
    apply: record(settings).apply === true,
    candidates: candidatesPlus,
    verdicts: finalVerdicts,
    autoApply,
    judgedApply,
    proposals,
    relabel: relabelQueue,
    scan,
  };
}

const COLUMNS = ["class", "session", "origin", "idle", "RAM", "verdict", "confidence", "reason", "action"];

function reportMarkdown(run: StewardRun): string {
  const steps = record(run.steps);
  const rows = reportRows(run);
  const dryRun = record(steps.settings).apply !== true;
  const blocks = [
    [`# Session steward: ${dryRun ? "dry run" : "applied"}`],
    settingsLines(record(steps.settings)),
    hostLines(steps.hostLoad),
    dryRun ? ["**Dry run:** nothing was ended and nothing flagged."] : [],
    list(steps.notes).map(String),
    [tableRow(COLUMNS), tableRow(COLUMNS.map(() => "---")), ...rows.map(rowLine)],
    summaryLines(run, rows),
    zeroLines(run),
    proposalLines(steps.proposals),
    relabelLines(steps.relabelQueue),
    memoryLines(steps.settings, steps.memory, verdictRowsOf(run)),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function settingsLines(settings: Record<string, unknown>): string[] {
  const { idleMinutes, minConfidence, judge, jevModel, judgeModel, askSessions } = settings;
  const models = [jevModel, judgeModel].filter((model) => typeof model === "string").map(inlineOf);
  const shown = [
    `idle from ${String(finite(idleMinutes) ?? "?")} min`,
    `confidence from ${String(finite(minConfidence) ?? "?")}`,
    `judge ${inlineOf(judge)}${models.length > 0 ? ` (${models.join(", ")})` : ""}`,
    `sessions ${askSessions === true ? "are" : "are not"} asked`,
  ];
  const origins = (value: unknown) => list(value).map(inlineOf).join(", ") || "none";
  return [
    `Settings: ${shown.join("; ")}.`,
    "",
    `Never ended: ${origins(settings.userOrigins)}. May be ended: ${origins(settings.closableOrigins)}.`,
  ];
}

const inlineOf = (value: unknown): string => inlineText(String(value ?? "?"));

function rowLine(row: ReportRow): string {
  const { label, sessionId, idleMinutes, rssBytes, verdict, saidBy, confidence } = row;
  return tableRow([
    row.class,
    inlineText(label ?? sessionId, 120),
    originText(row),
    `${idleMinutes === null ? "?" : Math.round(idleMinutes)} min`,
    rssBytes === null ? "?" : megabytes(rssBytes),
    verdict === null ? "—" : inlineText(saidBy ? `${verdict} (${saidBy})` : verdict),
    confidence === null ? "—" : confidence.toFixed(2),
    inlineText(row.reason),
    inlineText(actionText(row)),
  ]);
}

function originText({ origin, user }: ReportRow): string {
  if (origin === null) return user ? "(none, user)" : "(none)";
  return inlineText(origin, 120) + (user ? " (user)" : "");
}

function summaryLines(run: StewardRun, rows: readonly ReportRow[]): string[] {
  const { candidatesPlus, candidates } = record(run.steps);
  const { close, stuck, judgeOverflow } = record(candidatesPlus ?? candidates);
  const overflow = entriesOf(judgeOverflow).length;
  const verdicts = verdictRowsOf(run);
  const lines = [
    `Candidates: ${entriesOf(close).length} close, ${entriesOf(stuck).length} stuck, ${verdicts.length} judge` +
      (overflow > 0 ? ` (+ ${overflow} not judged this run).` : "."),
  ];
  if (verdicts.length > 0) {
    const counts = new Map<string, number>();
    for (const { verdict } of verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    lines.push(`Verdicts: ${[...counts].map(([name, count]) => `${inlineOf(name)} ${count}`).join(", ")}.`);
    const saidBy = (source: string) => verdicts.filter((row) => row.source === source).length;
    const fallbacks = verdicts.filter(({ jevFallback }) => jevFallback !== undefined).length;
    lines.push(
      `Judged by: jev ${saidBy("jev")}, agent ${saidBy("judged")}` +
        (fallbacks > 0 ? ` (${fallbacks} where jev gave no answer).` : "."),
    );
  }
  const freed = rows.filter(({ outcome }) => outcome === "closed");
  const held = rows.filter(({ outcome }) => outcome !== "closed");
  const sum = (of: readonly ReportRow[]) => of.reduce((bytes, row) => bytes + (row.rssBytes ?? 0), 0);
  lines.push(`RAM freed: ${megabytes(sum(freed))}. RAM still held: ${megabytes(sum(held))}.`);
  return ["## Summary", "", ...lines.map((line) => `- ${line}`)];
}

/** One plain line where there was nothing to decide, so that an empty table is no riddle. */
function zeroLines(run: StewardRun): string[] {
  const { scan } = record(run.steps);
  return scan === undefined || reportRows(run).length > 0 ? [] : [explainZeroCandidates(record(scan).counts)];
}
