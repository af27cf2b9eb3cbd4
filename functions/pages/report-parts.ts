import type { AuditEntry } from "../../lib/audit/entry.ts";
import type { JudgedBy, ShownRow } from "../../lib/pages/session-report-rows.tsx";
import type { ReportRow } from "../../lib/steward/rules/report-rows.ts";
import { record } from "../../lib/steward/rules/reading.ts";
import { saidOf } from "./report-said.ts";

/** The rows with who judged each and what people said of it; those that wait for a person stand first. */
export function judgedRows(
  rows: readonly ReportRow[],
  verdicts: readonly unknown[],
  said: readonly AuditEntry[],
): ShownRow[] {
  const judged = new Map(
    verdicts.map(record).map((verdict) => [String(record(verdict["entry"])["sessionId"]), verdict]),
  );
  const shown = rows.map((row): ShownRow => {
    const verdict = row.class === "judge" ? judged.get(row.sessionId) : undefined;
    const judgedBy = verdict ? judgeOf(verdict) : row.saidBy === "rules" ? "rules" : null;
    const agreed = saidOf(said, "verdict_agreed", row.sessionId);
    const disagreed = saidOf(said, "verdict_disagreed", row.sessionId);
    return {
      ...row,
      judgedBy,
      needsPerson: verdict !== undefined && isOpen(row),
      said: [...agreed, ...disagreed].map(({ username, verdict: sees }) => ({
        username,
        verdict: sees ?? "",
      })),
    };
  });
  return shown.toSorted((a, b) => orderOf(a) - orderOf(b));
}

const JUDGES: Record<string, JudgedBy> = {
  jev: "calibrated",
  judged: "agent",
  declared: "itself",
  cache: "memory",
};

/** Nobody has judged where a judge was silent or could not be understood. */
const judgeOf = ({ source, malformed }: Record<string, unknown>): JudgedBy | null =>
  malformed === true ? null : (JUDGES[String(source)] ?? null);

/** Flagged, refused, or left because nobody was sure enough: the steward does no more of it by itself. */
const isOpen = ({ decision, outcome }: ReportRow): boolean =>
  decision?.action === "flag" || decision?.code === "below-confidence" || outcome === "refused";

const orderOf = ({ needsPerson, outcome, decision }: ShownRow): number =>
  needsPerson ? 0 : outcome !== null ? 1 : decision !== null ? 2 : 3;

const PRESSURE = "**Saturated:**";
/** What follows in a report; a text of others begins no line of it. */
const AFTER_PRESSURE = ["**Dry run:**", "| class |"];

/** What a report says of a host or a queue that has too much to do, as Markdown; null where it says nothing. */
export function pressureOf(report: string | null): string | null {
  const blocks = report?.split("\n\n") ?? [];
  const from = blocks.findIndex((block) => block.startsWith(PRESSURE));
  if (from < 0) return null;
  const rest = blocks.slice(from);
  const length = rest.findIndex((block) => AFTER_PRESSURE.some((start) => block.startsWith(start)));
  return rest.slice(0, length < 0 ? 1 : length).join("\n\n");
}
