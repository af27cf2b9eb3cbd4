import { utf8Bytes } from "../core/bytes.ts";
import { AppError, type Failing } from "../core/errors.ts";
import { truncate } from "../core/text.ts";
import { MEMO_TEXT_MAX_BYTES } from "../memos/memo.ts";
import { schemaFailures } from "../model/check-schema.ts";
import type { Pricing } from "../model/pricing.ts";
import { estimateTokens, type ModelReply, type PromptPart, type Usage } from "../model/model.ts";
import { addCost, sumUsage } from "../model/usage.ts";
import type { ProcessStep } from "../workflows/manifest.ts";
import { callModel } from "./call-model.ts";
import type { Prompt } from "./prompt.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { spentOfRow } from "./spent.ts";
import type { Reservation, StepBudget } from "./step-budget.ts";
import { offerTools, type ToolUse } from "./tool-use.ts";

/** An answer that does not fit its schema may be mended once. */
const MAX_ATTEMPTS = 2;
/** Most of an unusable answer that is shown to the model again. */
const REPAIR_MAX_LENGTH = 40_000;

/** One call as the step's row remembers it. */
export type Attempt = {
  model: string;
  usage: Usage;
  costMicroUsd: number | null;
  stop: ModelReply["stop"];
  ms: number;
  /** Where the answer did not fit; empty when it did. */
  failing: Failing[];
};

/** What was called and spent so far; filled while asking, so that it is known too when a call throws. */
export type Trail = {
  /** When the question was begun. */
  startedAt: number;
  /** Which element of the step's list it is about; null for a step without one. */
  element: number | null;
  pricing: Pricing;
  attempts: Attempt[];
  tools: ToolUse[];
  text: string;
};

export const newTrail = (pricing: Pricing, startedAt: number, element: number | null): Trail => ({
  startedAt,
  element,
  pricing,
  attempts: [],
  tools: [],
  text: "",
});

/** What a trail cost, all attempts together. */
export const spentOn = ({ attempts }: Trail) => ({
  usage: sumUsage(attempts.map(({ usage }) => usage)),
  costMicroUsd: attempts.reduce<number | null>((sum, { costMicroUsd }) => addCost(sum, costMicroUsd), 0),
});

export type Question = {
  step: ProcessStep;
  model: string;
  pricing: Pricing;
  prompt: Prompt;
  timeoutMs: number;
  budget: StepBudget;
};

/**
 * Asks the model one question: one call, and a second one when the JSON of the first does not fit. The answer's
 * text stands in the trail; `fault` says why it cannot be used.
 * @throws {AppError} budget_exhausted, and what a call throws
 */
export async function askModel(
  deps: RunnerDeps,
  run: Run,
  question: Question,
  trail: Trail,
): Promise<{ fault: AppError | null }> {
  const { step, prompt } = question;
  let parts = prompt.parts;
  for (;;) {
    const reply = await callOnce(deps, run, { ...question, prompt: { ...prompt, parts } }, trail);
    const { failing } = trail.attempts.at(-1)!;
    if (failing.length === 0 || reply.stop === "refusal") return { fault: faultOf(step, reply) };
    if (trail.attempts.length >= MAX_ATTEMPTS) return { fault: mismatch(step, failing) };
    parts = [...prompt.parts, repairPart(reply.text, failing)];
  }
}

async function callOnce(
  deps: RunnerDeps,
  run: Run,
  { step, model, pricing, prompt, timeoutMs, budget }: Question,
  trail: Trail,
): Promise<ModelReply> {
  const promptTokens = tokensOfPrompt(prompt);
  const reservation: Reservation = await budget.reserve({
    stepId: step.id,
    promptTokens,
    maxOutputTokens: step.maxOutputTokens,
    element: trail.element,
    before: spentOfRow({ ...spentOn(trail), attempts: trail.attempts }),
    startedAt: trail.startedAt,
    price: pricing.price,
  });
  const context = { ownerUid: run.ownerUid, sessionId: run.sessionId ?? null, runId: run.runId };
  const startedAt = deps.clock.now();
  let reply: ModelReply | undefined;
  try {
    reply = await callModel(
      deps,
      run,
      {
        runId: run.runId,
        stepId: step.id,
        model,
        ...prompt,
        returns: step.returns,
        schema: step.schema,
        maxOutputTokens: step.maxOutputTokens,
        temperature: step.temperature,
        tools: offerTools(deps, step.tools, {
          context,
          uses: trail.tools,
          promptTokens,
          reservation: () => reservation,
        }),
        maxTurns: step.maxTurns,
      },
      timeoutMs,
    );
  } finally {
    reservation.settle(reply ? spentOfRow({ ...reply, calls: 1 }) : null);
  }
  const { model: answeredBy, usage, costMicroUsd, stop, text } = reply;
  const failing = stop === "refusal" ? [] : failuresOf(step, text);
  trail.text = text;
  trail.attempts.push({
    model: answeredBy,
    usage,
    costMicroUsd,
    stop,
    ms: deps.clock.now() - startedAt,
    failing,
  });
  return reply;
}

const tokensOfPrompt = ({ instructions, parts }: Prompt): number =>
  parts.reduce((sum, { text }) => sum + estimateTokens(text), estimateTokens(instructions));

/** Where a text is not the JSON that the step returns. */
function failuresOf(step: ProcessStep, text: string): Failing[] {
  if (step.returns !== "json") return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [{ pointer: "", message: "is not JSON" }];
  }
  return step.schema ? schemaFailures(step.schema, value) : [];
}

/** A refusal, or an output past all bounds: it ends the run and is shown with the step's name. */
function faultOf(step: ProcessStep, reply: ModelReply): AppError | null {
  if (reply.stop === "refusal") {
    return new AppError("model_refused", `${reply.model} refused step ${step.id}`, { stepId: step.id });
  }
  const actual = utf8Bytes(reply.text);
  if (actual <= MEMO_TEXT_MAX_BYTES) return null;
  return new AppError("output_too_large", `step ${step.id} gave ${actual} bytes of ${MEMO_TEXT_MAX_BYTES}`, {
    limit: MEMO_TEXT_MAX_BYTES,
    actual,
  });
}

function mismatch(step: ProcessStep, failing: Failing[]): AppError {
  const message = `step ${step.id} gave JSON that does not fit: ${placesOf(failing).join("; ")}`;
  return new AppError("schema_mismatch", message, { stepId: step.id, failing });
}

const placesOf = (failing: readonly Failing[]): string[] =>
  failing.map(({ pointer, message }) => `${pointer || "/"} ${message}`);

function repairPart(text: string, failing: readonly Failing[]): PromptPart {
  const places = placesOf(failing).map((place) => `- ${place}`);
  return {
    kind: "repair",
    title: "your last answer does not fit; give it again, whole and corrected",
    text: ["What is wrong:", ...places, "", "The answer was:", truncate(text, REPAIR_MAX_LENGTH)].join("\n"),
  };
}
