import { answersBySession, type CachedItem, type JudgeItem } from "./judge-queue.ts";
import type { PlanEntry } from "./plan.ts";
import { filled, finite, list, record } from "./reading.ts";
import { settled } from "./settled.ts";

export type VerdictSource = "jev" | "judged" | "declared" | "cache" | "none";

/** What a pass thinks of one session, and who says so. */
export type VerdictRow = {
  entry: PlanEntry;
  evidence: unknown;
  verdict: string;
  confidence: number;
  reason: string;
  source: VerdictSource;
  judgedBy?: string;
  judgeSessionId?: string;
  probabilities?: unknown;
  jevFallback?: string;
  malformed?: boolean;
  cached?: true;
  /** Said by the session's own message and its merged work, without a judge. */
  fastPath?: true;
  judgeVerdict?: { verdict: string; confidence: number; reason: string };
};

/**
 * One verdict for each session that was to be judged: of the calibrated judge where it answered for this session,
 * else of the judging agent. Where neither did, it is `active` with no confidence.
 */
export function collectVerdicts(
  evidence: unknown,
  queue: unknown,
  jevJudge: unknown,
  jevQueue: unknown,
  agentQueue: unknown,
  judge: unknown,
): VerdictRow[] {
  const withoutEvidence = settled(evidence).failed.map(({ item, status, error }) => ({
    ...nothingSaid(item as PlanEntry, null),
    reason: `no evidence: ${filled(error) ?? status}`,
  }));
  const calibrated = answersBySession(jevQueue, jevJudge);
  const agents = agentAnswers(agentQueue, judge);
  const judged = (list(queue) as readonly JudgeItem[]).map((item) => {
    const answer = calibrated.get(item.entry.sessionId);
    if (answer?.ok) return calibratedRow(item, record(answer.value));
    return agents.get(item.entry.sessionId) ?? nothingSaid(item.entry, item.evidence);
  });
  return [...withoutEvidence, ...judged];
}

const nothingSaid = (entry: PlanEntry, evidence: unknown): VerdictRow => ({
  entry,
  evidence,
  verdict: "active",
  confidence: 0,
  reason: "not judged",
  source: "none",
});

function calibratedRow({ entry, evidence }: JudgeItem, answer: Record<string, unknown>): VerdictRow {
  const { verdict, confidence, probabilities, model } = answer;
  const shares = Object.entries(record(probabilities)).filter((one): one is [string, number] => {
    return finite(one[1]) !== undefined;
  });
  const shown = shares.sort((a, b) => b[1] - a[1]).map(([name, share]) => `${name} ${share.toFixed(2)}`);
  return {
    entry,
    evidence,
    verdict: String(verdict),
    confidence: finite(confidence) ?? 0,
    reason: `calibrated judge: ${String(verdict)}${shown.length > 0 ? ` (${shown.join(", ")})` : ""}`,
    ...(probabilities !== undefined && { probabilities }),
    source: "jev",
    judgedBy: `jev:${String(model)}`,
  };
}

/** What the judging agent said, each only under the session that it was asked about and that it names. */
function agentAnswers(agentQueue: unknown, judge: unknown): Map<string, VerdictRow> {
  const asked = list(agentQueue) as readonly JudgeItem[];
  const rows = new Map<string, VerdictRow>();
  const { ok, failed } = settled(judge);
  const answers = new Map(ok.map(({ index, value }) => [index, value]));
  const failures = new Map(failed.map((one) => [one.index, one]));
  for (const [index, item] of asked.entries()) {
    const { entry, evidence, jevFallback } = item;
    const fallback = jevFallback !== undefined && { jevFallback };
    const failure = failures.get(index);
    const said = record(answers.get(index));
    if (failure) {
      const reason = `the judge failed: ${filled(failure.error) ?? failure.status}`;
      rows.set(entry.sessionId, { ...nothingSaid(entry, evidence), reason, ...fallback });
    } else if (said.sessionId === entry.sessionId) {
      const row = { entry, evidence, ...said, source: "judged", ...fallback } as unknown as VerdictRow;
      rows.set(entry.sessionId, row);
    } else {
      const reason = "the judge gave no verdict";
      rows.set(entry.sessionId, { ...nothingSaid(entry, evidence), reason, ...fallback });
    }
  }
  return rows;
}

/** The verdicts that the memory gives again. */
export function buildCachedVerdicts(cached: unknown): VerdictRow[] {
  return (list(cached) as readonly CachedItem[]).map(({ entry, evidence, cached: known }) => ({
    entry,
    evidence,
    verdict: String(known.verdict),
    confidence: finite(known.confidence) ?? 0,
    reason: `unchanged: the same verdict for ${finite(known.streak) ?? "?"} passes`,
    source: "cache",
    cached: true,
    judgedBy: filled(known.judgedBy) ?? "steward-cache",
  }));
}
