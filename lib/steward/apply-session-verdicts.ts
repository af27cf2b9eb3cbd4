import type { Action, ActionGiven } from "../core/action.ts";
import { isId } from "../core/ids.ts";
import type { PrincipalKind } from "../core/principal.ts";
import type { RegisteredContext } from "../core/registered.ts";
import { DEFAULT_APP } from "./ledger-entry.ts";
import { buildJudgedApplyQueue } from "./rules/apply-queues.ts";
import { parseJudgeVerdict } from "./rules/judge-reply.ts";
import { buildMemoryWriteQueue } from "./rules/memory.ts";
import type { PlanEntry } from "./rules/plan.ts";
import { filled, finite, record } from "./rules/reading.ts";
import { buildReport } from "./rules/report.ts";
import { memoryNamespace, type Settings } from "./rules/settings.ts";
import type { VerdictRow } from "./rules/verdicts.ts";
import { appStateAppendTool } from "./tools/app-state.ts";
import type { StewardPorts } from "./tools/ports.ts";
import { mayAct } from "./tools/tool-input.ts";
import { wrapupApplyTool } from "./tools/wrapup-apply.ts";
import { NOBODY_JUDGED, OFFLINE, settingsOf } from "./transforms.ts";

type Ports = Pick<StewardPorts, "sessions" | "ledger" | "clock" | "ownedWork">;

const MEGABYTE = 1024 * 1024;

/**
 * Ends or flags sessions by the verdicts of a workflow memo's judging step, whose elements are candidates of
 * `sessions:evidence`, remembers the verdicts, and gives the report. Nothing is changed unless the payload says
 * `apply: true`, a person or a schedule asked, and a person wrote the workflow. What an element says of its session
 * is looked up again before anything happens to it; an answer that failed or has another form leads to nothing.
 */
export const applySessionVerdicts = (ports: Ports): Action => ({
  name: "apply_session_verdicts",
  async call(context, given) {
    const refusal = refusalOf(context, given);
    const apply = given.payload["apply"] === true && refusal === undefined;
    const settings = settingsFor(context, given, apply);
    const asked = given.elements.slice(0, given.answers.length).map(entryOf);
    const verdicts = asked.flatMap((entry, nth) => (entry ? [verdictOf(entry, given, nth)] : []));
    const notAsked = given.elements.slice(given.answers.length).map(entryOf);
    const judgedApply = await applyAll(ports, context, verdicts, settings);
    await rememberAll(ports, context, verdicts, settings);
    const { report } = buildReport({
      steps: {
        settings,
        notes: refusal === undefined ? [] : [refusal],
        candidatesPlus: { judgeOverflow: notAsked.filter((entry) => entry !== undefined) },
        finalVerdicts: verdicts,
        judgedApply,
      },
    });
    return { text: report };
  },
});

/** Why a pass that was to act only rehearses; undefined where it may, or was not to. */
function refusalOf(
  context: RegisteredContext,
  { payload, rehearsal, writtenBy }: ActionGiven,
): string | undefined {
  if (payload["apply"] !== true) return undefined;
  if (rehearsal) return "**Not applied:** the workflow is staged.";
  const { kind } = context.requestedBy;
  if (!mayAct(context, true)) {
    return `**Not applied:** only a person or a schedule may ask for it, and ${nameOf(kind)} did.`;
  }
  // The text sets the default of `apply` and words the judge's question: who wrote it has said what is to happen.
  if (writtenBy !== "human") {
    const writer = writtenBy === null ? "somebody unknown" : nameOf(writtenBy);
    return `**Not applied:** the workflow was last written by ${writer}; a person is to save it.`;
  }
  return undefined;
}

const nameOf = (kind: PrincipalKind): string => (kind === "agent" ? "an agent" : `a ${kind}`);

function settingsFor(context: RegisteredContext, { payload, model }: ActionGiven, apply: boolean): Settings {
  const { idleMinutes, minConfidence, userOrigins, closableOrigins } = payload;
  const input = { apply, idleMinutes, minConfidence, userOrigins, closableOrigins, appId: DEFAULT_APP };
  const { jevModel: _none, ...settings } = settingsOf({ input }, context);
  return { ...settings, judge: "agent", ...(model !== "" && { judgeModel: model }) } as Settings;
}

/** An element as an entry of a plan; undefined for one that is about no session. */
function entryOf(element: unknown): PlanEntry | undefined {
  const { sessionId, label, origin, originClass, parentSessionId, idleMinutes, rssMB, signals } =
    record(element);
  if (typeof sessionId !== "string" || !isId("ses", sessionId)) return undefined;
  const texts = { label, origin, originClass, parentSessionId };
  const size = finite(rssMB);
  return {
    sessionId,
    class: "judge",
    idleMinutes: finite(idleMinutes) ?? 0,
    reasons: [],
    signals: record(signals),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => filled(text) !== undefined)),
    ...(size !== undefined && { rssBytes: size * MEGABYTE }),
  };
}

/** What was said of a session, by the same rules as a reply of the session steward's own judge. */
function verdictOf(entry: PlanEntry, { elements, answers, model }: ActionGiven, nth: number): VerdictRow {
  const of = { entry, evidence: elements[nth] };
  const nothing = { verdict: "active", confidence: 0, source: "none", malformed: true } as const;
  const { error, verdict, confidence, note } = record(answers[nth]);
  if (error !== undefined) {
    const code = filled(record(error).code) ?? "failed";
    return { ...of, ...nothing, reason: `the judge gave no usable answer: ${code}` };
  }
  if (model === OFFLINE) return { ...of, ...nothing, reason: NOBODY_JUDGED };
  const { sessionId } = entry;
  const reply = JSON.stringify({ sessionId, verdict, confidence, reason: note });
  return { ...of, ...parseJudgeVerdict(reply, sessionId), source: "judged" };
}

async function applyAll(
  ports: Ports,
  context: RegisteredContext,
  verdicts: readonly VerdictRow[],
  settings: Settings,
): Promise<unknown[]> {
  const tool = wrapupApplyTool(ports);
  const { apply, idleMinutes, userOrigins, closableOrigins } = settings;
  const bounds = { apply, idleMinutes, userOrigins, closableOrigins };
  const results: unknown[] = [];
  for (const { sessionId, ...said } of buildJudgedApplyQueue(verdicts, settings)) {
    const outcome = await tool.call(context, { ...said, ...bounds, sessionIds: [sessionId] });
    if ("value" in outcome) results.push(outcome.value);
  }
  return results;
}

async function rememberAll(
  ports: Ports,
  context: RegisteredContext,
  verdicts: readonly VerdictRow[],
  settings: Settings,
): Promise<void> {
  const space = memoryNamespace(settings);
  const tool = appStateAppendTool(ports);
  for (const { event } of space ? buildMemoryWriteQueue(verdicts, settings) : []) {
    await tool.call(context, { ...space, event });
  }
}
