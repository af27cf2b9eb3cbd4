import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { MemoStore } from "../memos/store.ts";
import { estimateTokens } from "../model/model.ts";
import { renderPrompt } from "../model/render-prompt.ts";
import { NO_USAGE } from "../model/usage.ts";
import {
  isFileStep,
  type AgentStep,
  type FileStep,
  type Manifest,
  type ProcessStep,
} from "../workflows/manifest.ts";
import { checkPayload } from "../workflows/payload.ts";
import { asProcess } from "./agent-step.ts";
import { contextIdsOf, loadsDue, resolveLoads } from "./context.ts";
import { elementsOf } from "./elements.ts";
import { includedValues, readIncludes, type PinnedRows } from "./include.ts";
import { runValues, scopeOf, type LoadRecord, type Plan, type StepRow } from "./plan.ts";
import { buildPrompt, type Prompt } from "./prompt.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import type { PartRow } from "./store.ts";

export type PreviewDeps = Pick<RunnerDeps, "searchNotes" | "sources"> & { memos: MemoStore; clock: Clock };

const RUN_ID = "run_preview";

/**
 * What each process step would show the model now, by the code that runs use: nothing is written and no model is
 * asked. Where a step works on another's output, a phrase stands in its place.
 * @throws {AppError} payload_invalid, and whatever would keep a run from starting
 */
export async function previewPrompts(
  deps: PreviewDeps,
  ownerUid: string,
  { manifest, payloadText }: { manifest: Manifest; payloadText: string },
) {
  const checked = checkPayload(manifest.trigger, payloadText);
  if (!checked.ok) {
    const places = checked.failing.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; ");
    throw new AppError("payload_invalid", places, { failing: checked.failing });
  }
  const startedAt = deps.clock.now();
  const run = { ownerUid, runId: RUN_ID, epoch: 0 } as const;
  const empty: Plan = {
    manifest,
    payload: checked.payload as Plan["payload"],
    loads: [],
    run: runValues(RUN_ID, startedAt),
    startedAt,
    ms: 0,
  };
  const rows = rowsInMemory();
  const given = { ...deps, runs: rows };
  const finished = new Map<string, StepRow>();
  const contextIds = contextIdsOf(manifest);
  const atStart = scopeOf(empty, finished);
  const loads: LoadRecord[] = [
    ...(await resolveLoads(deps, ownerUid, loadsDue(manifest.load, "start", contextIds), atStart)),
    ...(await readIncludes(given, run, manifest, contextIds, atStart)),
  ];
  const all = [...loads];
  const plan: Plan = { ...empty, values: await includedValues(rows, RUN_ID, loads) };
  const steps: PreviewedStep[] = [];
  for (const step of manifest.steps) {
    if (step.kind === "trigger" || step.kind === "output" || contextIds.has(step.id)) continue;
    if (isFileStep(step)) {
      steps.push(...agentsOf(step).map((agent) => shown(asProcess(agent), manifest, previewedAgent(agent))));
      continue;
    }
    const scope = scopeOf(plan, finished);
    const own = await resolveLoads(
      deps,
      ownerUid,
      loadsDue(manifest.load, { stepId: step.id }, contextIds),
      scope,
    );
    all.push(...own);
    if (step.kind === "context") {
      const included = await readIncludes(given, run, manifest, new Set([step.id]), scope);
      loads.push(...own, ...included);
      all.push(...included);
      continue;
    }
    const item = { payload: payloadText };
    const prompt = await buildPrompt(given, run, step, { loads: [...loads, ...own], item, scope, finished });
    steps.push(shown(step, manifest, withElement(step, prompt, { plan, item, finished })));
    finished.set(step.id, standIn(step));
  }
  return { loads: all, steps };
}

/** The agents of a step, which is one itself or has some for each of its items. */
const agentsOf = (step: FileStep): AgentStep[] =>
  (step.kind === "map" ? step.steps : [step]).filter((each) => each.kind === "agent");

/** What an agent works on is made by the steps before it. */
const previewedAgent = ({ instructions }: AgentStep): Prompt => ({
  instructions,
  parts: [{ kind: "payload", title: "input", text: "(here stands what the steps before it give)" }],
});

/** Rows that a run would pin, for as long as the preview takes. */
function rowsInMemory(): PinnedRows {
  const rows = new Map<string, PartRow>();
  return {
    readPart: async (_runId, part) => rows.get(part),
    readParts: async (_runId, prefix) => [...rows.values()].filter(({ part }) => part.startsWith(prefix)),
    async putPart(_runId, row) {
      rows.set(row.part, row);
      return { put: true, row };
    },
  } as PinnedRows;
}

/** What a step's output is called while there is none. */
const standInText = (stepId: string): string => `(here stands the output of step "${stepId}")`;

function standIn(step: ProcessStep): StepRow {
  const isJson = step.returns === "json" || step.forEach !== null;
  const text = standInText(step.id);
  return {
    part: step.id,
    text: isJson ? JSON.stringify(text) : text,
    stepId: step.id,
    returns: isJson ? "json" : step.returns,
    model: "",
    usage: NO_USAGE,
    costMicroUsd: null,
    promptHash: "",
    startedAt: 0,
    ms: 0,
    stop: "end",
    loads: [],
  };
}

/** Of a step that runs for each element of what is known already, the question about the first one. */
function withElement(
  step: ProcessStep,
  prompt: Prompt,
  given: { plan: Plan; item: { payload: string }; finished: ReadonlyMap<string, StepRow> },
): Prompt {
  if (!step.forEach) return prompt;
  const { path } = step.forEach;
  const known = ["payload.", ...Object.keys(given.plan.values ?? {}).map((stepId) => `steps.${stepId}.`)];
  const isKnown = known.some((start) => path.startsWith(start));
  const elements = isKnown ? elementsOf(path, { ...given, step }) : [];
  const title = elements.length > 0 ? `item 1 of ${elements.length}` : "item 1";
  const text = elements[0] ?? `(here stands one element of ${path})`;
  return { ...prompt, parts: [...prompt.parts, { kind: "payload", title, text }] };
}

export type PreviewedStep = ReturnType<typeof shown>;

function shown(step: ProcessStep, { policy }: Manifest, { instructions, parts }: Prompt) {
  const { id: stepId, returns, schema } = step;
  // Providers with a schema mode of their own are given the schema beside the prompt and not inside it.
  const { system, user } = renderPrompt(
    { stepId, instructions, parts, returns, schema },
    { showSchema: true },
  );
  return {
    stepId,
    model: step.model ?? policy.model,
    returns,
    forEach: step.forEach?.path ?? null,
    tools: step.tools,
    instructions,
    parts: parts.map((part) => ({ ...part, tokens: estimateTokens(part.text) })),
    system,
    user,
    tokens: estimateTokens(system) + estimateTokens(user),
    /** Steps whose output is not there yet. */
    missing: parts.filter(({ kind }) => kind === "step").map(({ title }) => title),
  };
}
