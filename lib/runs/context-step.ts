import { NO_USAGE } from "../model/usage.ts";
import type { Step } from "../workflows/manifest.ts";
import { contextIdsOf, loadsDue, resolveLoads } from "./context.ts";
import { includedValues, readIncludes } from "./include.ts";
import { stepPart, stepPrefix } from "./parts.ts";
import { scopeOf, type Plan, type StepRow } from "./plan.ts";
import { finishStep, type Finished } from "./process-step.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";

/**
 * A context step after a process step: what it loads may rest on that step's output, so it is resolved when it is
 * reached, and pinned in a row of its own.
 */
export async function runContextStep(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  given: { step: Extract<Step, { kind: "context" }>; index: number; finished: Finished },
): Promise<Run> {
  const { step, index, finished } = given;
  const [left] = await deps.runs.readParts(run.runId, stepPrefix(index, run.revision));
  if (left) return finishStep(deps, run, index, left);
  const startedAt = deps.clock.now();
  const { manifest } = plan;
  const scope = scopeOf(plan, finished);
  const due = loadsDue(manifest.load, { stepId: step.id }, contextIdsOf(manifest));
  const loads = await resolveLoads(deps, run.ownerUid, due, scope);
  const included = await readIncludes(deps, run, manifest, new Set([step.id]), scope);
  const value = (await includedValues(deps.runs, run.runId, included))[step.id];
  const row: StepRow = {
    part: stepPart(index, run.revision, run.epoch),
    text: value ? JSON.stringify(value) : "",
    stepId: step.id,
    returns: value ? "json" : "text",
    model: "",
    usage: NO_USAGE,
    costMicroUsd: 0,
    promptHash: "",
    stop: "end",
    loads: [...loads, ...included],
    startedAt,
    ms: deps.clock.now() - startedAt,
  };
  return finishStep(deps, run, index, (await deps.runs.putPart(run.runId, row)).row);
}
