import { NO_USAGE } from "../model/usage.ts";
import type { Item } from "../queue/item.ts";
import { project } from "../workflow-files/reference.ts";
import type { FileStep } from "../workflows/manifest.ts";
import { agentIn, createAsker, type Asker } from "./agent-step.ts";
import { allowedOnce } from "./budget-hold.ts";
import { fileScope, outputOf, type Output } from "./file-scope.ts";
import { runMap } from "./map-step.ts";
import { noteSpend } from "./note-spend.ts";
import { elementPrefix, failedPrefix, stepPart, stepPrefix } from "./parts.ts";
import type { Plan, StepRow } from "./plan.ts";
import { finishStep, type Finished } from "./process-step.ts";
import { callRegistered, needMs, waitSec } from "./registered-step.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { addSpent, NOTHING_SPENT, spentOfRow, sumSpent } from "./spent.ts";
import type { PartRow } from "./store.ts";

type FileGiven = { step: FileStep; index: number; item: Item; finished: Finished };

/** The step is done, or the run is to be let go until later; `wrote` says whether anything has come forward. */
export type FileOutcome = { run: Run } | { run: null; delaySec: number; wrote: boolean };

type Made = Output &
  Pick<StepRow, "model" | "usage" | "costMicroUsd"> &
  Partial<Pick<StepRow, "startedAt" | "stop" | "attempts" | "calls" | "pricedAs" | "price" | "forEach">>;
type Unmade = { delaySec: number; wrote: boolean };

/**
 * One step of a workflow file: a row with its output first (W1), then the head that names it (W2). A row that an
 * earlier lease left is used as it is.
 */
export async function runFileStep(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  given: FileGiven,
): Promise<FileOutcome> {
  const { step, index } = given;
  const { runId, revision } = run;
  const [left] = await deps.runs.readParts(runId, stepPrefix(index, revision));
  const isAsking = asksModel(step);
  const failed = isAsking ? await deps.runs.readParts(runId, failedPrefix(index, revision)) : [];
  const before = sumSpent([run.spent ?? NOTHING_SPENT, ...(failed as StepRow[]).map(spentOfRow)]);
  let row = left as StepRow | undefined;
  if (!row) {
    if (step.kind !== "map" && deps.remainingMs() < needMs(step, plan)) {
      return { run: null, delaySec: 0, wrote: false };
    }
    const startedAt = deps.clock.now();
    const elements =
      step.kind === "map" ? await deps.runs.readParts(runId, elementPrefix(index, revision)) : [];
    const spent = [before, ...(elements as StepRow[]).map(spentOfRow)];
    const allowance = isAsking ? await allowedOnce(deps.runs, run, step.id) : new Set<never>();
    const ask = createAsker(deps, run, plan, { stepId: step.id, index, spent, allowance });
    const made = await make(deps, run, plan, { ...given, ask, elements });
    if ("delaySec" in made) return { run: null, ...made };
    const fields = { stepId: step.id, promptHash: "", stop: "end", loads: [] };
    const times = { startedAt: made.startedAt ?? startedAt, ms: deps.clock.now() - startedAt };
    const part = stepPart(index, revision, run.epoch);
    row = (await deps.runs.putPart(runId, { part, ...fields, ...made, ...times })).row as StepRow;
  }
  const { day } = plan.manifest.policy.budget;
  // Those of a map's items were noted one by one.
  if (step.kind === "agent") await noteSpend(deps, run, row, { index, element: null, day });
  const spent = isAsking ? addSpent(before, spentOfRow(row)) : run.spent;
  return { run: await finishStep(deps, run, index, row, spent) };
}

const asksModel = (step: FileStep): boolean =>
  step.kind === "agent" || (step.kind === "map" && step.steps.some(({ kind }) => kind === "agent"));

async function make(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  { step, index, item, finished, ask, elements }: FileGiven & { ask: Asker; elements: readonly PartRow[] },
): Promise<Made | Unmade> {
  const scope = fileScope(item, finished);
  switch (step.kind) {
    case "agent": {
      const question = { agent: agentIn(step, scope), input: project(step.input, scope), element: null };
      const { fault: _, ...answer } = await ask(question, { mayFail: false });
      return answer;
    }
    case "map": {
      const outcome = await runMap(deps, { run, plan, step, index, scope, left: elements, ask });
      if (outcome.done) return outcome.done;
      return { delaySec: outcome.delaySec, wrote: outcome.wrote };
    }
    default: {
      const outcome = await callRegistered(deps, run, plan, { step, scope, itemPlace: step.id });
      if ("againAfterSec" in outcome) return { delaySec: waitSec(outcome), wrote: false };
      return { ...outputOf(step.id, outcome.value), model: "", usage: NO_USAGE, costMicroUsd: 0 };
    }
  }
}
