import { resultOf } from "../workflow-files/result.ts";
import { valueOfOutput } from "./file-scope.ts";
import { readFinishedSteps, readPlan } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";

/** What a run of a workflow file answers; undefined before it has begun. Of a step that is not done nothing is in it. */
export async function readResult(deps: Pick<RunnerDeps, "runs">, run: Run): Promise<unknown> {
  const plan = await readPlan(deps.runs, run.runId);
  if (!plan) return undefined;
  const finished = await readFinishedSteps(deps.runs, run, plan);
  const outputs = Object.fromEntries([...finished].map(([id, row]) => [id, valueOfOutput(row)]));
  return resultOf(plan.manifest, outputs, plan.payload);
}
