import { AppError } from "../core/errors.ts";
import { NO_USAGE } from "../model/usage.ts";
import type { ForkOf } from "../queue/item.ts";
import { currentHash } from "./current-hash.ts";
import { nameOfStepPart, namedStepPart, stepPart } from "./parts.ts";
import { pinPlan, readPlan, type Plan, type StepRow } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";

/** Kept rows are of the first revision and of an epoch that no runner has: no step of the new run can take them for its own. */
const KEPT_EPOCH = 0;

/**
 * Copies into a forked run what it keeps: included texts, the rows of the steps before the fork, and last the plan
 * that names them. Every row is put once, so a crash anywhere repeats the same; no model is called.
 * @throws {AppError} fork_outdated
 */
export async function keepSteps(deps: RunnerDeps, run: Run, forkOf: ForkOf): Promise<Plan> {
  const old = await deps.runs.readHead(forkOf.runId);
  const plan = old?.ownerUid === run.ownerUid ? await readPlan(deps.runs, forkOf.runId) : undefined;
  const step = plan ? plan.manifest.steps.findIndex(({ id }) => id === forkOf.step) : -1;
  if (!old || !plan || step < 0) {
    throw new AppError("internal", `run ${forkOf.runId} has no step ${forkOf.step} to fork from`, {});
  }
  if (isOutdated(plan, await currentHash(deps, run))) {
    const { runId } = forkOf;
    throw new AppError("fork_outdated", `the workflow is not what run ${runId} followed`, {
      runId,
      workflow: run.workflowId,
    });
  }
  const kept: StepRow[] = [];
  const rows: string[] = [];
  for (const [index, name] of old.rows.slice(0, step).entries()) {
    if (name === "") {
      rows.push("");
      continue;
    }
    const row = await readKept(deps, forkOf.runId, namedStepPart(index, name));
    // What it cost was paid by the run that made it.
    const { attempts: _attempts, tools: _tools, ...rest } = row as StepRow;
    const part = stepPart(index, 1, KEPT_EPOCH);
    kept.push({ ...rest, part, usage: NO_USAGE, costMicroUsd: 0, keptFrom: forkOf.runId });
    rows.push(nameOfStepPart(part));
  }
  for (const part of pinnedParts([...plan.loads, ...kept.flatMap(({ loads }) => loads)])) {
    await deps.runs.putPart(run.runId, await readKept(deps, forkOf.runId, part));
  }
  for (const row of kept) await deps.runs.putPart(run.runId, row);
  return pinPlan(deps.runs, run.runId, {
    ...plan,
    run: { ...plan.run, id: run.runId },
    kept: { runId: forkOf.runId, stepId: forkOf.step, step, rows },
  });
}

/**
 * Whether an old plan may not be followed anew: the workflow has changed, or is gone, and the plan would land without
 * a person. What a person decides is shown with its drift.
 */
export const isOutdated = ({ manifest }: Plan, current: string | undefined): boolean =>
  manifest.policy.approval.mode === "auto" && current !== manifest.source.contentHash;

async function readKept({ runs }: Pick<RunnerDeps, "runs">, runId: string, part: string) {
  const found = await runs.readPart(runId, part);
  if (!found) throw new AppError("internal", `${part} of run ${runId} is missing`, {});
  // The key belongs to the run that it was read from.
  const { runId: _runId, ...row } = found;
  return row;
}

const pinnedParts = (loads: readonly { part?: string | undefined }[]): Set<string> =>
  new Set(loads.flatMap(({ part }) => (part === undefined ? [] : [part])));
