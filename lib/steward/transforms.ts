import type { Transform, TransformContext } from "../core/registered.ts";
import type { NAMES } from "./names.ts";
import { buildJudgedApplyQueue, buildRuleApplyQueue } from "./rules/apply-queues.ts";
import { buildAskQueue, mergeDeclared } from "./rules/ask.ts";
import { splitCandidates } from "./rules/candidates.ts";
import { composeEvidence } from "./rules/evidence.ts";
import { takeFastPath } from "./rules/fast-path.ts";
import { buildAgentJudgeQueue, buildJudgeQueueFiltered } from "./rules/judge-queue.ts";
import { parseJudgeVerdict } from "./rules/judge-reply.ts";
import { detectLoop, loopReasons } from "./rules/loop.ts";
import { buildMemoryWriteQueue, foldMemory } from "./rules/memory.ts";
import { mergeNeverRan } from "./rules/never-ran.ts";
import { OUR_CLOSABLE_ORIGINS } from "./rules/origin.ts";
import type { PlanEntry } from "./rules/plan.ts";
import { buildProposalsStep } from "./rules/proposals.ts";
import { filled, list, record } from "./rules/reading.ts";
import { buildRelabelQueue } from "./rules/relabel.ts";
import { buildReport } from "./rules/report.ts";
import { reportRows } from "./rules/report-rows.ts";
import { isSelfExcluded, scanLive } from "./rules/scan.ts";
import { memoryNamespace, resolveSettings } from "./rules/settings.ts";
import { settled } from "./rules/settled.ts";
import { buildCachedVerdicts, collectVerdicts } from "./rules/verdicts.ts";

/** What the offline writer calls itself: it quotes memos, and judges nobody. */
export const OFFLINE = "offline-extractive";
export const NOBODY_JUDGED = "no model is configured, and the offline writer judges nobody";

/** The newest of what was remembered of a session, beyond the passes that must agree. */
const REMEMBERED_MORE = 5;

type Named = (typeof NAMES.transforms)[number];

/** What the steps of the session steward compute, each from what its step is given. */
export const TRANSFORMS: Record<Named, Transform> = {
  steward_settings: (given, { run }) => settingsOf(record(given), run),
  steward_candidates: (given) => candidatesOf(record(given)),
  steward_scan: (given, { nowMs }) => scanLive(record(given).listing, record(given).settings, nowMs),
  steward_candidates_plus: (given) => mergeNeverRan(record(given).candidates, record(given).scan),
  steward_rule_queue: (given) => buildRuleApplyQueue(record(given).candidates, record(given).settings),
  steward_memory_queue: (given) => memoryQueue(record(given)),
  // A map cannot be written down as JSON: its entries can.
  steward_memory: (given) => [...foldMemory({ steps: { memoryRead: record(given).memoryRead } })],
  steward_loop_results: (given, { nowMs }) => loopResults(record(given), nowMs),
  steward_proposals: (given, { nowMs }) => {
    const { scan, loopResults: found, settings } = record(given);
    return buildProposalsStep(scan, found, settings, nowMs);
  },
  steward_relabel: (given) => buildRelabelQueue(record(given).scan),
  steward_evidence: (given) => evidenceItem(record(given)),
  steward_judge_queue: (given) => judgeQueue(record(given)),
  steward_jev_queue: (given) => {
    const { queue, settings } = record(given);
    return record(settings).judge === "agent" ? [] : list(queue);
  },
  steward_agent_queue: (given) => {
    const { queue, jevQueue, jevJudge, settings } = record(given);
    return buildAgentJudgeQueue(queue, jevQueue, jevJudge, settings);
  },
  steward_judge_reply: (given) => judgeReply(record(given)),
  steward_verdicts: (given) => verdictsOf(record(given)),
  steward_ask_queue: (given) => buildAskQueue(record(given).verdicts, record(given).settings),
  steward_declared: (given) => {
    const { verdicts, askQueue, ask } = record(given);
    return mergeDeclared(verdicts, askQueue, ask);
  },
  steward_judged_queue: (given) => buildJudgedApplyQueue(record(given).verdicts, record(given).settings),
  steward_memory_writes: (given) => {
    const { verdicts, settings } = record(given);
    const space = memoryNamespace(settings);
    return space ? buildMemoryWriteQueue(verdicts, settings).map(({ event }) => ({ ...space, event })) : [];
  },
  steward_report: (given) => ({ ...buildReport({ steps: given }), rows: reportRows({ steps: given }) }),
  steward_report_text: (given) => String(record(record(given).report).report),
};

/** Origins that this system gives may be ended here, and the asking session and its own job never are candidates. */
export function settingsOf({ input, modelRoles }: Record<string, unknown>, run: TransformContext["run"]) {
  const given = record(input);
  const { principalId, kind } = run.requestedBy;
  const ownJob = kind === "schedule" ? principalId.replace(/^schedule:/, "cron:") : undefined;
  return resolveSettings(
    {
      ...given,
      closableOrigins: list(given.closableOrigins).length > 0 ? given.closableOrigins : OUR_CLOSABLE_ORIGINS,
      callerSessionId: filled(given.callerSessionId) ?? run.sessionId,
      callerOrigin: filled(given.callerOrigin) ?? ownJob,
    },
    { models: modelRoles },
  );
}

/** The plan's candidates, without the older sessions of the job that asks: they are its own work, not a person's. */
export function candidatesOf({ plan, settings }: Record<string, unknown>) {
  const isOwn = (entry: unknown) => isSelfExcluded(entry, settings).code === "same-cron-job-as-caller";
  const entries = list(record(plan).entries).filter((entry) => !isOwn(entry));
  return splitCandidates({ ...record(plan), entries }, settings);
}

/** One reading for each session that a judge may be spared. */
function memoryQueue({ candidates, settings }: Record<string, unknown>) {
  const space = memoryNamespace(settings);
  if (!space) return [];
  const limit = Number(record(settings).stableVerdictPasses) + REMEMBERED_MORE;
  return list(record(candidates).judge).map((entry) => ({
    ...space,
    sessionId: record(entry).sessionId,
    kinds: ["note"],
    limit,
  }));
}

/** Which of the busy sessions repeat themselves; what could not be read does not. */
function loopResults({ loopScan, queue }: Record<string, unknown>, nowMs: number) {
  return settled(loopScan).ok.flatMap(({ index, value }) => {
    const asked = record(list(queue)[index]);
    // The answer must be about the session that was asked about.
    if (record(value).sessionId !== asked.sessionId) return [];
    const loop = detectLoop(record(value).items, { nowMs });
    return [{ ...asked, ...loop, reasons: loopReasons(loop) }];
  });
}

/** What a judge is shown of one candidate. @throws {Error} when the evidence is of another session */
function evidenceItem({ entry, raw, memory }: Record<string, unknown>) {
  const planned = entry as PlanEntry;
  if (record(raw).sessionId !== planned.sessionId) throw new Error("the evidence is of another session");
  return { entry: planned, evidence: composeEvidence(planned, raw, remembered(memory)) };
}

const remembered = (memory: unknown) => new Map(list(memory) as [string, unknown][]);

/** Those that need a judge, apart from what the memory knows and what a session's own word and merged work say. */
function judgeQueue({ evidence, memory, settings }: Record<string, unknown>) {
  const { queue, cached } = buildJudgeQueueFiltered(evidence, remembered(memory), settings);
  const { decided, rest } = takeFastPath(queue);
  return { queue: rest, cached, decided };
}

function judgeReply({ sessionId, reply }: Record<string, unknown>) {
  const { text, model } = record(reply);
  const id = String(sessionId);
  const parsed = parseJudgeVerdict(text, id);
  if (model !== OFFLINE) return { sessionId: id, ...parsed };
  return { sessionId: id, ...parsed, reason: NOBODY_JUDGED };
}

function verdictsOf(given: Record<string, unknown>) {
  const { evidence, judgeQueue: queues, jevQueue, jevJudge, agentQueue, judge } = given;
  const { queue, decided, cached } = record(queues);
  return [
    ...collectVerdicts(evidence, queue, jevJudge, jevQueue, agentQueue, judge),
    ...list(decided),
    ...buildCachedVerdicts(cached),
  ];
}
