import * as z from "zod";
import { applyGate, recheckApply } from "../../../../lib/steward/rules/apply-gate.ts";
import {
  buildJudgedApplyQueue,
  buildRuleApplyQueue,
  collectApplyResults,
} from "../../../../lib/steward/rules/apply-queues.ts";
import {
  buildAskQueue,
  keepAliveAskEligible,
  mergeDeclared,
  parseStewardReply,
} from "../../../../lib/steward/rules/ask.ts";
import { splitCandidates } from "../../../../lib/steward/rules/candidates.ts";
import { decideAction } from "../../../../lib/steward/rules/decide.ts";
import { composeEvidence } from "../../../../lib/steward/rules/evidence.ts";
import {
  detectFastPathDone,
  isCommitOrPrCall,
  isDoneMessageParent,
} from "../../../../lib/steward/rules/fast-path.ts";
import { evidenceFingerprint } from "../../../../lib/steward/rules/fingerprint.ts";
import { hostSaturation, saturationHeader } from "../../../../lib/steward/rules/host.ts";
import {
  buildAgentJudgeQueue,
  buildJudgeQueueFiltered,
  NO_ANSWER,
} from "../../../../lib/steward/rules/judge-queue.ts";
import { parseJudgeVerdict } from "../../../../lib/steward/rules/judge-reply.ts";
import {
  callSignature,
  detectLoop,
  isUsefulLoopCommand,
  readTargetOf,
} from "../../../../lib/steward/rules/loop.ts";
import {
  buildMemoryWriteQueue,
  foldMemory,
  foldVerdictMemory,
  operatorDisagreement,
  shouldRejudge,
  verdictMemoryEvent,
} from "../../../../lib/steward/rules/memory.ts";
import { isNeverRan, mergeNeverRan } from "../../../../lib/steward/rules/never-ran.ts";
import { classifyOrigin, matchesOrigin, resolveOriginPolicy } from "../../../../lib/steward/rules/origin.ts";
import { planSessionWrapup } from "../../../../lib/steward/rules/plan.ts";
import { buildProposals, buildProposalsStep } from "../../../../lib/steward/rules/proposals.ts";
import {
  buildRelabelQueue,
  refineRelabel,
  terminalRelabelCandidate,
} from "../../../../lib/steward/rules/relabel.ts";
import { pendingWorkReason, remainingWork } from "../../../../lib/steward/rules/remaining-work.ts";
import { buildReport } from "../../../../lib/steward/rules/report.ts";
import {
  explainZeroCandidates,
  isSelfExcluded,
  scanLive,
  shouldFastPath,
} from "../../../../lib/steward/rules/scan.ts";
import { resolveSettings } from "../../../../lib/steward/rules/settings.ts";
import { settled } from "../../../../lib/steward/rules/settled.ts";
import { detectStall } from "../../../../lib/steward/rules/stall.ts";
import { buildCachedVerdicts, collectVerdicts } from "../../../../lib/steward/rules/verdicts.ts";
import { reportFacts } from "./report-facts.ts";

/** Every function of the vectors, under its file's name. */
export const FUNCTIONS = {
  applyGate,
  buildAgentJudgeQueue,
  buildAskQueue,
  buildCachedVerdicts,
  buildJudgeQueueFiltered,
  buildJudgedApplyQueue,
  buildMemoryWriteQueue,
  buildProposals,
  buildProposalsStep,
  buildRelabelQueue,
  buildReport,
  buildRuleApplyQueue,
  callSignature,
  classifyOrigin,
  collectApplyResults,
  collectVerdicts,
  composeEvidence,
  decideAction,
  detectFastPathDone,
  detectLoop,
  detectStall,
  evidenceFingerprint,
  explainZeroCandidates,
  foldMemory,
  foldVerdictMemory,
  hostSaturation,
  isCommitOrPrCall,
  isDoneMessageParent,
  isNeverRan,
  isSelfExcluded,
  isUsefulLoopCommand,
  keepAliveAskEligible,
  matchesOrigin,
  mergeDeclared,
  mergeNeverRan,
  operatorDisagreement,
  parseJudgeVerdict,
  parseStewardReply,
  pendingWorkReason,
  planSessionWrapup,
  readTargetOf,
  recheckApply,
  refineRelabel,
  remainingWork,
  resolveOriginPolicy,
  resolveSettings,
  saturationHeader,
  scanLive,
  settled,
  shouldFastPath,
  shouldRejudge,
  splitCandidates,
  terminalRelabelCandidate,
  verdictMemoryEvent,
};

type Row = Record<string, unknown>;
const rows = (value: unknown): Row[] => z.array(z.record(z.string(), z.unknown())).parse(value);
const row = (value: unknown): Row => z.record(z.string(), z.unknown()).parse(value);
const without = (value: Row, ...names: string[]): Row =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
const idOf = (item: Row): unknown => row(item.entry).sessionId;

/** Our words by the vectors' codes; a judge's own words stay. */
const REASONS: [RegExp, (found: string[]) => unknown][] = [
  [/^not judged$/, () => ({ code: "not-judged" })],
  [/^the judge gave no verdict$/, () => ({ code: "judge-no-verdict" })],
  [/^the judge failed: (.*)$/, ([, detail]) => ({ code: "judge-failed", detail })],
  [/^no evidence: (.*)$/, ([, detail]) => ({ code: "evidence-failed", detail })],
  [/^unchanged: the same verdict for (.*) passes$/, ([, streak]) => ({ code: "cached", streak })],
  [
    /^calibrated judge: (\S+)(?: \((.*)\))?$/,
    ([, verdict, shares]) => ({
      code: "calibrated-judge",
      verdict,
      probabilitiesDescending: shares ? shares.split(", ").map((share) => share.split(" ")) : [],
    }),
  ],
  [
    /^says (\S+) of itself(?:: (.*))?$/,
    ([, declared, detail]) => ({ code: "self-declared", declared, detail: detail ?? "" }),
  ],
];

const NOTES: [RegExp, (found: string[]) => unknown][] = [
  [/^rules: nothing speaks for it$/, () => ({ code: "rules", detail: null })],
  [/^rules: (.*)$/, ([, detail]) => ({ code: "rules", detail })],
  [/^it never got going$/, () => ({ code: "never-ran" })],
  [/^a person's session: only flagged(?:: (.*))?$/, ([, detail]) => ({ code: "user-origin", detail })],
  [
    /^flagged as (\S+?)(?:: (.*))?$/,
    ([, verdict, detail]) => ({ code: "verdict-flag", verdict, detail: detail ?? null }),
  ],
  [/^(.*)$/, ([, detail]) => ({ code: "verdict-reason", detail })],
];

function coded(text: unknown, codes: [RegExp, (found: string[]) => unknown][]): unknown {
  for (const [pattern, code] of codes) {
    const found = pattern.exec(String(text));
    if (found) return code([...found]);
  }
  return text;
}

const withReasons = (value: unknown) =>
  rows(value).map((one) => ({ ...one, reason: coded(one.reason, REASONS) }));
const withNotes = (value: unknown) => rows(value).map((one) => ({ ...one, note: coded(one.note, NOTES) }));
const withoutReasons = (value: unknown) => rows(value).map((one) => without(one, "reason"));

/** Our results as the vectors have them: prose as codes, lists as ids where only ids were kept. */
export const SHAPES: Record<string, (result: unknown) => unknown> = {
  buildAgentJudgeQueue: (result) =>
    rows(result).map(({ jevFallback, ...item }) => ({
      sessionId: idOf(item),
      jevFallback: jevFallback === NO_ANSWER ? { code: "no-answer" } : jevFallback,
    })),
  buildAskQueue: (result) => rows(result).map((item) => without(item, "label")),
  buildCachedVerdicts: withReasons,
  buildJudgeQueueFiltered: (result) => ({
    queue: rows(row(result).queue).map(idOf),
    cached: rows(row(result).cached).map((item) => ({ sessionId: idOf(item), cached: item.cached })),
  }),
  buildJudgedApplyQueue: withNotes,
  buildMemoryWriteQueue: (result) =>
    rows(result).map(({ event, ...rest }) => {
      const { payload, ...about } = row(event);
      const said = row(payload);
      const fingerprint = said.fingerprint === null ? null : JSON.parse(String(said.fingerprint));
      return { ...rest, event: { ...about, payload: { ...said, fingerprint } } };
    }),
  buildProposals: (result) => ({
    proposals: withoutReasons(row(result).proposals),
    observed: withoutReasons(row(result).observed),
  }),
  buildProposalsStep: (result) => ({
    proposals: withoutReasons(row(result).proposals),
    observed: withoutReasons(row(result).observed),
    stalls: withoutReasons(row(result).stalls),
  }),
  buildReport: (result) => reportFacts(String(row(result).report)),
  buildRuleApplyQueue: withNotes,
  collectVerdicts: withReasons,
  evidenceFingerprint: (result) => JSON.parse(String(result)),
  explainZeroCandidates: (result) => [...String(result).matchAll(/\d+/g)].map(Number),
  hostSaturation: (result) => without(row(result), "reasons"),
  mergeDeclared: withReasons,
  parseJudgeVerdict: (result) => (row(result).malformed ? without(row(result), "reason") : result),
  saturationHeader: (result) => {
    const { shown, orphans, others, warnings } = row(result);
    const pids = (value: unknown) => rows(value).map(({ pid }) => pid);
    const criticalWarnings = z.array(z.string()).parse(warnings).length > 0;
    return { shown, orphanPids: pids(orphans), otherPids: pids(others), criticalWarnings };
  },
};
