import { evidenceFingerprint } from "./fingerprint.ts";
import { shouldRejudge, type Remembered } from "./memory.ts";
import type { PlanEntry } from "./plan.ts";
import { filled, finite, list, record } from "./reading.ts";
import { settled } from "./settled.ts";

/** One session with what a judge is shown of it. */
export type JudgeItem = { entry: PlanEntry; evidence: unknown; jevFallback?: string };

export type CachedItem = JudgeItem & { cached: Remembered };

/** The sessions to be judged, apart from those of which nothing has changed since the memory was sure. */
export function buildJudgeQueueFiltered(
  evidence: unknown,
  memory: unknown,
  settings: unknown,
): { queue: JudgeItem[]; cached: CachedItem[] } {
  const stablePasses = finite(record(settings).stableVerdictPasses);
  const queue: JudgeItem[] = [];
  const cached: CachedItem[] = [];
  for (const { value } of settled(evidence).ok) {
    const item = value as JudgeItem;
    const sessionId = filled(record(record(item).entry).sessionId);
    if (sessionId === undefined) continue;
    const fingerprint = evidenceFingerprint(item.evidence);
    const known = shouldRejudge(
      memory,
      sessionId,
      fingerprint,
      stablePasses === undefined ? {} : { stablePasses },
    );
    if (known.cached) cached.push({ ...item, cached: known.cached });
    else queue.push(item);
  }
  return { queue, cached };
}

/**
 * What the judging agent is left with: all where it alone judges, else what the calibrated judge gave no answer of
 * its own for. Why is said, unless it simply has no key and none is insisted on.
 */
export function buildAgentJudgeQueue(
  queue: unknown,
  jevQueue: unknown,
  jevJudge: unknown,
  settings: unknown,
): JudgeItem[] {
  const items = list(queue) as readonly JudgeItem[];
  const { judge } = record(settings);
  if (judge === "agent") return [...items];
  const answers = answersBySession(jevQueue, jevJudge);
  return items.flatMap((item) => {
    const answer = answers.get(item.entry.sessionId);
    if (answer?.ok) return [];
    if (judge === "auto" && answer?.noKey) return [item];
    return [{ ...item, jevFallback: answer?.error ?? NO_ANSWER }];
  });
}

export const NO_ANSWER = "no answer of the calibrated judge";

type JevAnswer = { ok: boolean; noKey: boolean; error: string | undefined; value: unknown };

/** The calibrated judge's answers, each only under the session that it was asked about and that it names. */
export function answersBySession(jevQueue: unknown, jevJudge: unknown): Map<string, JevAnswer> {
  const asked = list(jevQueue) as readonly JudgeItem[];
  const answers = new Map<string, JevAnswer>();
  const { ok, failed } = settled(jevJudge);
  for (const { index, value } of ok) {
    const sessionId = filled(record(asked[index]?.entry).sessionId);
    const answer = record(value);
    if (sessionId === undefined || answer.sessionId !== sessionId) continue;
    const error = filled(answer.error);
    answers.set(sessionId, { ok: answer.ok === true, noKey: answer.noKey === true, error, value });
  }
  for (const { index, error } of failed) {
    const sessionId = filled(record(asked[index]?.entry).sessionId);
    if (sessionId !== undefined) {
      answers.set(sessionId, { ok: false, noKey: false, error: filled(error), value: undefined });
    }
  }
  return answers;
}
