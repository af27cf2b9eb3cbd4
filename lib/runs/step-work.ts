import { hasCode, isAppError } from "../core/errors.ts";
import { truncate } from "../core/text.ts";
import { stampOf } from "../model/pricing.ts";
import type { Item } from "../queue/item.ts";
import type { ProcessStep } from "../workflows/manifest.ts";
import { spentOn, type Question, type Trail } from "./ask-model.ts";
import { releaseQuestion } from "./day-limits.ts";
import { noteSpend } from "./note-spend.ts";
import { failedPart } from "./parts.ts";
import type { Plan, StepRow } from "./plan.ts";
import type { Finished } from "./process-step.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import type { PartRow } from "./store.ts";

/** Most of an unusable answer that is kept. */
const FAILED_TEXT_MAX_LENGTH = 100_000;

/** A process step at work. */
export type StepWork = {
  run: Run;
  plan: Plan;
  step: ProcessStep;
  index: number;
  item: Item;
  finished: Finished;
  question: Question;
  /** The elements that were answered already. */
  elements: readonly PartRow[];
};

function priceOfRow({ pricing }: Trail): Pick<StepRow, "pricedAs" | "price"> {
  const price = stampOf(pricing.price);
  return { pricedAs: pricing.model, ...(price && { price }) };
}

/** What a row says of the calls behind it. */
export const rowOfTrail = (trail: Trail) => ({
  startedAt: trail.startedAt,
  ...priceOfRow(trail),
  text: trail.text,
  model: trail.attempts.at(-1)?.model ?? "",
  stop: trail.attempts.at(-1)?.stop ?? "end",
  ...spentOn(trail),
  attempts: trail.attempts,
  ...(trail.tools.length > 0 && { tools: trail.tools }),
});

/** When asking fails, what it cost is kept in a row of its own: the money is spent, and the text may explain why. */
export async function asking<T>(
  deps: Pick<RunnerDeps, "runs" | "spend" | "clock" | "libraryUsdPerDay">,
  { run, plan, step, index }: Pick<StepWork, "run" | "plan" | "index"> & { step: Pick<ProcessStep, "id"> },
  trail: Trail,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    // Somebody else has the run then: write nothing. What is reserved is taken over with the question.
    if (hasCode(error, "lease_lost")) throw error;
    const { element, startedAt } = trail;
    const question = { index, element, day: plan.manifest.policy.budget.day };
    if (trail.attempts.length === 0) await releaseQuestion(deps, run, { ...question, startedAt });
    else {
      const part = failedPart(index, run.revision, run.epoch, element);
      const code = isAppError(error) ? error.code : "internal";
      const row = { ...rowOfTrail(trail), text: truncate(trail.text, FAILED_TEXT_MAX_LENGTH) };
      const put = await deps.runs.putPart(run.runId, { part, ...row, stepId: step.id, code });
      await noteSpend(deps, run, put.row, question);
    }
    throw error;
  }
}
