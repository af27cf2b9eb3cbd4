import { cappedHead } from "./caps.ts";
import { confidenceOf, DEFAULT_MIN_CONFIDENCE } from "./decide.ts";
import { filled, finite, list, record } from "./reading.ts";
import { settled } from "./settled.ts";
import type { VerdictRow } from "./verdicts.ts";

export type AskItem = { sessionId: string; label?: string };

export type StewardReply = { declared: "done" | "not-done"; line: string };

const LINE_MAX = 300;

/** A recurring run asks one that is to be kept alive only after a day. */
const KEEP_ALIVE_ASK_AFTER_MINUTES = 1440;

/** The sessions that are asked themselves: none unless the run says so, and only where nobody is sure enough. */
export function buildAskQueue(verdicts: unknown, settings: unknown): AskItem[] {
  const { askSessions, minConfidence } = record(settings);
  if (askSessions !== true) return [];
  const sure = finite(minConfidence) ?? DEFAULT_MIN_CONFIDENCE;
  return list(verdicts).flatMap((verdict) => {
    const { entry, evidence, confidence } = record(verdict);
    const { sessionId, label } = record(entry);
    const seen = record(evidence);
    if (typeof sessionId !== "string" || !evidence || confidenceOf(confidence) >= sure) return [];
    if (seen.awaitingInput === true || seen.busy === true) return [];
    if (seen.keepAlive === true && !keepAliveAskEligible(evidence, settings)) return [];
    return [{ sessionId, ...(filled(label) && { label: String(label) }) }];
  });
}

/**
 * Whether one that is to be kept alive may be asked: its worktree is merged, or clean and with nothing of its own.
 * What is not known counts as no.
 */
export function keepAliveAskEligible(evidence: unknown, settings: unknown): boolean {
  const { worktree, signals, idleMinutes } = record(evidence);
  const { dirty, ahead, pr } = record(worktree);
  const merged = record(signals).worktreeMerged === true || record(pr).state === "merged";
  if (!merged && !(dirty === false && ahead === 0)) return false;
  const { recurring, keepAliveAskAfterMinutes } = record(settings);
  if (recurring !== true) return true;
  const after = finite(keepAliveAskAfterMinutes) ?? KEEP_ALIVE_ASK_AFTER_MINUTES;
  const idle = finite(idleMinutes);
  return after > 0 && idle !== undefined && idle >= after;
}

/** What a session says of itself, in the last line that begins with the mark; null where none does. */
export function parseStewardReply(text: unknown): StewardReply | null {
  if (typeof text !== "string") return null;
  const lines = text.split("\n").map((line) => line.replace(/^[\s`]+|[\s`]+$/g, ""));
  for (const line of lines.toReversed()) {
    const [, mark, rest = ""] = /^STEWARD:\s*(NOT-DONE|DONE)\b(.*)$/.exec(line) ?? [];
    if (mark === undefined) continue;
    return { declared: mark === "DONE" ? "done" : "not-done", line: cappedHead(rest.trim(), LINE_MAX) };
  }
  return null;
}

/**
 * The verdicts with what sessions said of themselves, which counts fully; the judge's is kept beside it. A session
 * that says it is done was understood, however malformed the judge's reply was.
 */
export function mergeDeclared(verdicts: unknown, askQueue: unknown, ask: unknown): VerdictRow[] {
  const asked = list(askQueue).map(record);
  const said = new Map<string, StewardReply>();
  for (const { index, value } of settled(ask).ok) {
    const { sessionId, declared, line } = record(value);
    if (typeof sessionId !== "string" || asked[index]?.sessionId !== sessionId) continue;
    if (declared === "done" || declared === "not-done") {
      said.set(sessionId, { declared, line: filled(line) ?? "" });
    }
  }
  return (list(verdicts) as readonly VerdictRow[]).map((row) => {
    const reply = said.get(record(row.entry).sessionId as string);
    return reply ? declaredRow(row, reply) : row;
  });
}

function declaredRow(row: VerdictRow, { declared, line }: StewardReply): VerdictRow {
  const { malformed, ...rest } = row;
  const { verdict, confidence, reason } = row;
  const isDone = declared === "done";
  return {
    ...rest,
    ...(!isDone && malformed !== undefined && { malformed }),
    verdict: isDone ? "done" : "active",
    confidence: 1,
    reason: `says ${isDone ? "DONE" : "NOT-DONE"} of itself${line === "" ? "" : `: ${line}`}`,
    source: "declared",
    judgeVerdict: { verdict, confidence, reason },
  };
}
