import { sha256 } from "../core/bytes.ts";
import { canonicalJson } from "../core/canonical-json.ts";
import type { Item } from "../queue/item.ts";
import type { ProcessStep } from "../workflows/manifest.ts";
import { askModel, newTrail } from "./ask-model.ts";
import { contextIdsOf, loadsDue, resolveLoads } from "./context.ts";
import { createDayLimits } from "./day-limits.ts";
import { fencedWrite } from "./fence.ts";
import { askForEach } from "./for-each.ts";
import { noteSpend } from "./note-spend.ts";
import { elementPrefix, failedPrefix, nameOfStepPart, stepPart, stepPrefix } from "./parts.ts";
import { loadsBefore, scopeOf, type LoadRecord, type Plan, type StepRow } from "./plan.ts";
import { buildPrompt, type Prompt } from "./prompt.ts";
import { revisionParts } from "./revise.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { addSpent, NOTHING_SPENT, spentOfRow, sumSpent, type Spent } from "./spent.ts";
import { createBudget, NOTHING_ALLOWED, type Allowance } from "./step-budget.ts";
import { asking, rowOfTrail, type StepWork } from "./step-work.ts";
import type { PartRow } from "./store.ts";
import { checkpoint } from "./writes.ts";

export type Finished = ReadonlyMap<string, StepRow>;

type ProcessGiven = {
  step: ProcessStep;
  index: number;
  item: Item;
  finished: Finished;
  /** The limits that a person let this step pass, once. */
  allowance?: Allowance;
};

/**
 * One process step: a row with the output first (W1), then the head that names it (W2). A row that an earlier
 * lease left for this revision is used as it is, so that a crash between the two costs no second model call.
 * Undefined when the invocation's time does not suffice for the rest of its elements.
 */
export async function runProcessStep(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  given: ProcessGiven,
): Promise<Run | undefined> {
  const { index } = given;
  const [left] = await deps.runs.readParts(run.runId, stepPrefix(index, run.revision));
  // Calls of this step that left no output were paid for too.
  const failed = await deps.runs.readParts(run.runId, failedPrefix(index, run.revision));
  const before = sumSpent([run.spent ?? NOTHING_SPENT, ...(failed as StepRow[]).map(spentOfRow)]);
  const row = left ?? (await makeRow(deps, run, plan, given, before));
  if (!row) return undefined;
  const { day } = plan.manifest.policy.budget;
  // The elements of a `For each` were noted one by one.
  if (!given.step.forEach) await noteSpend(deps, run, row, { index, element: null, day });
  return finishStep(deps, run, index, row, addSpent(before, spentOfRow(row as StepRow)));
}

/** W2: the head names the step's row, and says what the run has spent with it. */
export function finishStep(
  deps: Pick<RunnerDeps, "runs" | "clock">,
  run: Run,
  index: number,
  row: PartRow,
  spent = run.spent,
): Promise<Run> {
  const name = nameOfStepPart(row.part);
  const done = { step: index + 1, rows: [...run.rows.slice(0, index), name], spent };
  return fencedWrite(deps.runs, run, checkpoint(run.epoch, done, deps.clock.now()), (head) => {
    return head.epoch === run.epoch && head.status === "running" && head.rows[index] === name;
  });
}

async function makeRow(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  { step, index, item, finished, allowance = NOTHING_ALLOWED }: ProcessGiven,
  before: Spent,
): Promise<PartRow | undefined> {
  const { manifest } = plan;
  const scope = scopeOf(plan, finished);
  const due = loadsDue(manifest.load, { stepId: step.id }, contextIdsOf(manifest));
  const own = await resolveLoads(deps, run.ownerUid, due, scope);
  const loads = [...loadsBefore(plan, finished, index), ...own];
  const first = await buildPrompt(deps, run, step, { loads, item, scope, finished });
  const prompt = { ...first, parts: [...first.parts, ...(await revisionParts(deps.runs, run, plan, index))] };
  const elements = await deps.runs.readParts(run.runId, elementPrefix(index, run.revision));
  const model = step.model ?? manifest.policy.model;
  const pricing = deps.pricingOf(model);
  const { day } = manifest.policy.budget;
  const question = {
    step,
    model,
    pricing,
    prompt,
    timeoutMs: manifest.policy.timeoutMs,
    budget: createBudget({
      limit: manifest.policy.budget.run,
      spent: sumSpent([before, ...(elements as StepRow[]).map(spentOfRow)]),
      price: pricing.price,
      recoveries: run.recoveries,
      allowance,
      days: createDayLimits(deps, run, { index, day, allowance }),
    }),
  };
  const work: StepWork = { run, plan, step, index, item, finished, question, elements };
  const startedAt = deps.clock.now();
  const made = step.forEach
    ? await askForEach(deps, work, step.forEach)
    : await askOnce(deps, work, startedAt);
  if (!made) return undefined;
  const part = stepPart(index, run.revision, run.epoch);
  const row = { part, ...made, ...rowBase(step, prompt, own, startedAt), ms: deps.clock.now() - startedAt };
  return (await deps.runs.putPart(run.runId, row)).row;
}

const rowBase = (step: ProcessStep, prompt: Prompt, loads: LoadRecord[], startedAt: number) => ({
  stepId: step.id,
  // The answers of a `For each` are a JSON list, whatever each of them is.
  returns: step.forEach ? ("json" as const) : step.returns,
  promptHash: sha256(canonicalJson(prompt)),
  loads,
  startedAt,
});

async function askOnce(deps: RunnerDeps, work: StepWork, startedAt: number) {
  const trail = newTrail(work.question.pricing, startedAt, null);
  await asking(deps, work, trail, async () => {
    const { fault } = await askModel(deps, work.run, work.question, trail);
    if (fault) throw fault;
  });
  return rowOfTrail(trail);
}
