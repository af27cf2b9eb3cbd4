import { resultOf } from "../workflow-files/result.ts";
import { fileScope } from "./file-scope.ts";
import { readFinishedSteps, readPlan } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunStore } from "./store.ts";

/** What a run of a workflow file has come to, by the file's `result`; undefined before it has begun. */
export async function runResult(
  runs: RunStore,
  run: Run,
): Promise<{ input: Record<string, unknown>; startedAt: number; result: unknown } | undefined> {
  const plan = await readPlan(runs, run.runId);
  if (!plan) return undefined;
  const finished = await readFinishedSteps(runs, run, plan);
  const { steps } = fileScope({ payload: JSON.stringify(plan.payload) }, finished);
  return {
    input: plan.payload,
    startedAt: plan.startedAt,
    result: resultOf(plan.manifest, steps, plan.payload),
  };
}
