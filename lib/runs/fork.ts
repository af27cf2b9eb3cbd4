import { AppError } from "../core/errors.ts";
import { currentHash, type CurrentDeps } from "./current-hash.ts";
import { isOutdated } from "./keep-steps.ts";
import { readPlan, type Plan } from "./plan.ts";
import {
  againOf,
  goAgain,
  readEnded,
  type Asking,
  type EndedRun,
  type Rerun,
  type RerunDeps,
} from "./rerun.ts";

/**
 * The item of an ended run goes again from one of its steps on: the earlier steps are kept as they are, under the
 * plan that the run had pinned. Nothing but this request can say so.
 * @throws {AppError} run_not_found, run_not_ended, fork_step_unknown, fork_outdated, item_not_found,
 *   run_superseded
 */
export async function fork(
  deps: RerunDeps & CurrentDeps,
  runId: string,
  fromStep: string,
  asking: Asking,
): Promise<Rerun> {
  const run = await readEnded(deps, runId, asking.principal);
  const plan = await readPlan(deps.runs, run.runId);
  const allowed = plan ? stepsReached(run, plan) : [];
  if (!plan || !allowed.includes(fromStep)) {
    throw new AppError("fork_step_unknown", `run ${runId} has not reached a step ${fromStep}`, {
      runId,
      step: fromStep,
      allowed,
    });
  }
  if (isOutdated(plan, await currentHash(deps, run))) {
    const { title } = plan.manifest;
    throw new AppError("fork_outdated", `${title} is not what run ${runId} followed`, {
      runId,
      workflow: run.workflowId,
    });
  }
  const forkOf = { runId: run.runId, step: fromStep };
  return goAgain(deps, run, againOf(deps, asking, { act: "run_forked", runId, fromStep }, forkOf));
}

/** Steps that a run finished or stopped at, without those of its start and other contexts. */
const stepsReached = (run: EndedRun, plan: Plan): string[] =>
  plan.manifest.steps
    .filter(({ kind }, index) => kind !== "trigger" && kind !== "context" && index <= run.step)
    .map(({ id }) => id);
