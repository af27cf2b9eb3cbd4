import { sha256, utf8Bytes } from "../core/bytes.ts";
import { canonicalJson } from "../core/canonical-json.ts";
import { AppError } from "../core/errors.ts";
import { MEMO_TEXT_MAX_BYTES } from "../memos/memo.ts";
import { estimateTokens, type ModelReply } from "../model/model.ts";
import { tokensOf } from "../model/usage.ts";
import type { Item } from "../queue/item.ts";
import type { ProcessStep } from "../workflows/manifest.ts";
import { callModel } from "./call-model.ts";
import { loadsDue, resolveLoads } from "./context.ts";
import { fencedWrite } from "./fence.ts";
import { nameOfStepPart, stepPart, stepPrefix } from "./parts.ts";
import { scopeOf, type LoadRecord, type Plan, type StepRow } from "./plan.ts";
import { buildPrompt, type Prompt } from "./prompt.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { checkpoint } from "./writes.ts";

export type Finished = ReadonlyMap<string, StepRow>;

/**
 * One process step: a row with the output first (W1), then the head that names it (W2). A row that an earlier
 * lease left for this revision is used as it is, so that a crash between the two costs no second model call.
 */
export async function runProcessStep(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  given: { step: ProcessStep; index: number; item: Item; finished: Finished },
): Promise<Run> {
  const { index } = given;
  const [left] = await deps.runs.readParts(run.runId, stepPrefix(index, run.revision));
  const row = left ?? (await makeRow(deps, run, plan, given));
  const name = nameOfStepPart(row.part);
  const done = { step: index + 1, rows: [...run.rows.slice(0, index), name] };
  return fencedWrite(deps.runs, run, checkpoint(run.epoch, done, deps.clock.now()), (head) => {
    return head.epoch === run.epoch && head.status === "running" && head.rows[index] === name;
  });
}

async function makeRow(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  { step, index, item, finished }: { step: ProcessStep; index: number; item: Item; finished: Finished },
): Promise<StepRow> {
  const { manifest } = plan;
  const scope = scopeOf(plan, finished);
  const contextIds = new Set(manifest.steps.filter(({ kind }) => kind === "context").map(({ id }) => id));
  const due = loadsDue(manifest.load, { stepId: step.id }, contextIds);
  const own = await resolveLoads(deps, run.ownerUid, due, scope);
  const loads = [...plan.loads, ...own];
  const prompt = await buildPrompt(deps, run.ownerUid, step, { loads, item, scope, finished });
  checkBudget(plan, step, prompt, finished);
  const startedAt = deps.clock.now();
  const reply = await callModel(
    deps,
    run,
    {
      runId: run.runId,
      stepId: step.id,
      model: step.model ?? manifest.policy.model,
      ...prompt,
      returns: step.returns,
      schema: step.schema,
      maxOutputTokens: step.maxOutputTokens,
      temperature: step.temperature,
      tools: [],
      maxTurns: 1,
    },
    manifest.policy.timeoutMs,
  );
  checkReply(step, reply);
  const row = rowOf(step, reply, { prompt, loads: own, startedAt, ms: deps.clock.now() - startedAt });
  const part = stepPart(index, run.revision, run.epoch);
  return (await deps.runs.putPart(run.runId, { ...row, part })).row as StepRow;
}

function rowOf(
  step: ProcessStep,
  reply: ModelReply,
  made: { prompt: Prompt; loads: LoadRecord[]; startedAt: number; ms: number },
): Omit<StepRow, "part"> & { text: string } {
  return {
    stepId: step.id,
    returns: step.returns,
    text: reply.text,
    model: reply.model,
    usage: reply.usage,
    costMicroUsd: reply.costMicroUsd,
    stop: reply.stop,
    promptHash: sha256(canonicalJson(made.prompt)),
    loads: made.loads,
    startedAt: made.startedAt,
    ms: made.ms,
  };
}

/** Refusals and outputs that cannot be used end the run; they are shown with the step's name. */
function checkReply(step: ProcessStep, reply: ModelReply): void {
  if (reply.stop === "refusal") {
    throw new AppError("model_refused", `${reply.model} refused step ${step.id}`, { stepId: step.id });
  }
  const actual = utf8Bytes(reply.text);
  if (actual > MEMO_TEXT_MAX_BYTES) {
    throw new AppError("output_too_large", `step ${step.id} gave ${actual} bytes of ${MEMO_TEXT_MAX_BYTES}`, {
      limit: MEMO_TEXT_MAX_BYTES,
      actual,
    });
  }
  if (step.returns !== "json") return;
  try {
    JSON.parse(reply.text);
  } catch (error) {
    throw new AppError(
      "schema_mismatch",
      `step ${step.id} gave no JSON`,
      { stepId: step.id },
      { cause: error },
    );
  }
}

/** Before the call: what is spent, the prompt, and the most that can come back must fit the run's budget. */
function checkBudget(plan: Plan, step: ProcessStep, prompt: Prompt, finished: Finished): void {
  const limit = plan.manifest.policy.budget.run.tokens;
  if (limit === null) return;
  const spent = [...finished.values()].reduce((sum, row) => sum + tokensOf(row.usage), 0);
  const texts = [prompt.instructions, ...prompt.parts.map(({ text }) => text)];
  const estimate = texts.reduce((sum, text) => sum + estimateTokens(text), 0) + (step.maxOutputTokens ?? 0);
  if (spent + estimate <= limit) return;
  const message = `step ${step.id} needs about ${estimate} tokens; ${spent} of ${limit} are spent`;
  throw new AppError("budget_exhausted", message, { limit: `${limit} tokens per run`, spent });
}
