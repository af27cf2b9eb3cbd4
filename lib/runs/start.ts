import { AppError } from "../core/errors.ts";
import type { Item } from "../queue/item.ts";
import { checkPayload } from "../workflows/payload.ts";
import { contextIdsOf, loadsDue, resolveLoads } from "./context.ts";
import { includedValues, readIncludes } from "./include.ts";
import { pinPlan, runValues, type Plan } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { readTarget } from "./target.ts";

/**
 * The pure steps, trigger and context, in one: compiles the workflow as it is now, checks the payload, resolves
 * the loads and pins it all for the life of the run. No model and no effect, so a repeat costs nothing.
 */
export async function startRun(deps: RunnerDeps, run: Run, item: Item): Promise<Plan> {
  const startedAt = deps.clock.now();
  const { ownerUid, workflowId } = run;
  const compiled = await deps.compile(ownerUid, workflowId);
  if (!compiled) {
    throw new AppError("workflow_not_found", `workflow ${workflowId} is gone`, { workflow: workflowId });
  }
  if (!compiled.ok) {
    const errors = compiled.diagnostics.filter(({ severity }) => severity === "error").length;
    throw new AppError("workflow_invalid", `workflow ${workflowId} has ${errors} errors`, {
      workflow: workflowId,
      errors,
    });
  }
  const { manifest } = compiled;
  const checked = checkPayload(manifest.trigger, item.payload);
  if (!checked.ok) {
    const places = checked.failing.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; ");
    throw new AppError("payload_invalid", places, { failing: checked.failing });
  }
  const payload = checked.payload as Plan["payload"];
  await readTarget(deps, ownerUid, { manifest, payload });
  const values = runValues(run.runId, startedAt);
  const contextIds = contextIdsOf(manifest);
  const scope = { payload, steps: {}, run: values };
  const loaded = await resolveLoads(deps, ownerUid, loadsDue(manifest.load, "start", contextIds), scope);
  const included = await readIncludes(deps, run, manifest, contextIds, scope);
  const loads = [...loaded, ...included];
  const data = await includedValues(deps.runs, run.runId, included);
  const ms = deps.clock.now() - startedAt;
  const plan: Plan = { manifest, payload, loads, run: values, startedAt, ms };
  return pinPlan(deps.runs, run.runId, Object.keys(data).length > 0 ? { ...plan, values: data } : plan);
}
