import { entriesOf } from "./candidates.ts";
import { cappedHead } from "./caps.ts";
import { decideAction, type Decision } from "./decide.ts";
import { FAST_PATH_JUDGE } from "./fast-path.ts";
import type { PlanEntry } from "./plan.ts";
import { reasonsText } from "./plan-reason.ts";
import { filled, list, record } from "./reading.ts";
import { pullRequestOf } from "./relabel.ts";
import { lastAssistantText, remainingWork } from "./remaining-work.ts";
import { settled } from "./settled.ts";
import type { VerdictRow } from "./verdicts.ts";

/** One session that is acted on: what a tool applies after it has looked again. */
export type ApplyItem = { sessionId: string; verdict: string; note: string; judgedBy?: string };

/** Of what is written on a session. */
const NOTE_MAX = 500;

const USER_ORIGIN = "a person's session: only flagged";

/** What of a session stands against ending it; empty where nothing does. */
export function workLeftOf({ entry, evidence }: { entry: unknown; evidence?: unknown }): string[] {
  const { signals } = record(entry);
  const { lastAssistantTail, worktreePrOpen } = record(signals);
  const prState = worktreePrOpen === true ? "open" : pullRequestOf(evidence).state;
  const { turns } = record(evidence);
  return remainingWork({ prState, lastAssistantText: lastAssistantText(turns) ?? lastAssistantTail });
}

/** The decision of the rules for an entry of the plan. */
export function ruleDecision(entry: PlanEntry, settings: unknown): Decision {
  const { apply, minConfidence } = record(settings);
  const decided = decideAction({
    session: entry,
    planClass: entry.class,
    confidence: 1,
    apply,
    policy: settings,
    minConfidence,
  });
  // What never got going has said nothing that could be left to do.
  return decided.code === "rule-close" ? unlessWorkIsLeft(decided, { entry }) : decided;
}

const unlessWorkIsLeft = (decided: Decision, of: { entry: unknown; evidence?: unknown }): Decision =>
  workLeftOf(of).length > 0 ? { ...decided, action: "flag", code: "work-left" } : decided;

function ruleItem(entry: PlanEntry, settings: unknown): ApplyItem | undefined {
  const { sessionId } = entry;
  const { action, code } = ruleDecision(entry, settings);
  if (action === "skip") return undefined;
  if (code === "user-origin") return { sessionId, verdict: "needs-input", note: USER_ORIGIN };
  if (code === "work-left") return { sessionId, verdict: "needs-input", note: workLeftNote({ entry }) };
  if (code === "rule-stuck") return { sessionId, verdict: "abandoned", note: "it never got going" };
  const reasons = reasonsText(list(entry.reasons));
  const note = cappedHead(`rules: ${reasons || "nothing speaks for it"}`, NOTE_MAX);
  return { sessionId, verdict: "done", note };
}

const workLeftNote = (of: { entry: unknown; evidence?: unknown }): string =>
  `work may be left: ${workLeftOf(of).join("; ")}`;

/** What the rules alone do, in a pass that applies: the sure ones ended, a person's flagged. */
export function buildRuleApplyQueue(candidates: unknown, settings: unknown): ApplyItem[] {
  if (record(settings).apply !== true) return [];
  const { close, stuck } = record(candidates);
  return [...entriesOf(close), ...entriesOf(stuck)].flatMap((entry) => ruleItem(entry, settings) ?? []);
}

/** The decision of a verdict; what is malformed leads to nothing. */
export function judgedDecision(row: VerdictRow, settings: unknown): Decision {
  const { apply, minConfidence } = record(settings);
  const { entry, verdict, confidence } = row;
  const decided = decideAction({
    session: entry,
    planClass: "judge",
    verdict: row.malformed === true ? undefined : verdict,
    confidence,
    apply,
    policy: settings,
    minConfidence,
  });
  // What a session says of itself is not read again for doubts.
  const doubted = decided.code === "verdict-close" && row.source !== "declared";
  return doubted ? unlessWorkIsLeft(decided, row) : decided;
}

/** What verdicts do, in a pass that applies: sure ones only, and none of a reply that was not understood. */
export function buildJudgedApplyQueue(verdicts: unknown, settings: unknown): ApplyItem[] {
  if (record(settings).apply !== true) return [];
  return (list(verdicts) as readonly VerdictRow[]).flatMap((row) => judgedItem(row, settings) ?? []);
}

function judgedItem(row: VerdictRow, settings: unknown): ApplyItem | undefined {
  const sessionId = filled(record(row.entry).sessionId);
  const decided = judgedDecision(row, settings);
  if (sessionId === undefined || decided.action === "skip") return undefined;
  const item = { sessionId, judgedBy: judgedByOf(row, sessionId) };
  const reason = filled(row.reason);
  const withReason = (label: string) => cappedHead(reason ? `${label}: ${reason}` : label, NOTE_MAX);
  if (decided.code === "user-origin") {
    return { ...item, verdict: "needs-input", note: withReason(USER_ORIGIN) };
  }
  if (decided.code === "work-left") {
    return { ...item, verdict: "needs-input", note: withReason(workLeftNote(row)) };
  }
  if (decided.action === "flag") {
    return { ...item, verdict: row.verdict, note: withReason(`flagged as ${row.verdict}`) };
  }
  return { ...item, verdict: row.verdict, note: cappedHead(reason ?? "", NOTE_MAX) };
}

function judgedByOf(row: VerdictRow, sessionId: string): string {
  if (row.fastPath === true) return FAST_PATH_JUDGE;
  if (row.source === "declared") return `steward-ask:${sessionId}`;
  return filled(row.judgedBy) ?? filled(row.judgeSessionId) ?? "steward-judge";
}

export type ApplyResult = {
  sessionId: string;
  ok: boolean;
  action?: "closed" | "flagged";
  class?: string;
  error?: string;
};

/** What was done to each session, over all maps; of two answers for one the later counts. */
export function collectApplyResults(...maps: unknown[]): Map<string, ApplyResult> {
  const results = new Map<string, ApplyResult>();
  for (const map of maps) {
    const { ok, failed } = settled(map);
    for (const { value } of ok) {
      for (const one of list(record(value).results)) {
        const sessionId = filled(record(one).sessionId);
        if (sessionId !== undefined) results.set(sessionId, one as ApplyResult);
      }
    }
    for (const { item, error, status } of failed) {
      const sessionId = filled(record(item).sessionId);
      if (sessionId === undefined) continue;
      results.set(sessionId, { sessionId, ok: false, error: filled(error) ?? status });
    }
  }
  return results;
}
