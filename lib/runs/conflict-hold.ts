import type { FrozenProposal } from "../holds/proposal.ts";
import type { LostTo } from "../dispatch/destination.ts";
import { nextHoldId, openHold } from "./open-hold.ts";
import { conflictPart } from "./parts.ts";
import { readPlan } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { finishSuspend } from "./suspend.ts";
import { AppError } from "../core/errors.ts";

/** I4: the landing lost its compare-and-set, so a person chooses between the draft and what is there now. */
export async function holdForConflict(
  deps: RunnerDeps,
  run: Run,
  draft: FrozenProposal,
  lostTo: LostTo,
): Promise<void> {
  const plan = await readPlan(deps.runs, run.runId);
  if (!plan) throw new AppError("internal", `run ${run.runId} lands without a plan`, {});
  const part = conflictPart(nextHoldId(run));
  await deps.runs.putPart(run.runId, { part, text: "", ...lostTo });
  const { stepId, revision, sha256 } = draft;
  const held = await openHold(deps, run, plan, { kind: "conflict", stepId, revision, sha256 });
  if (held.status === "suspending") await finishSuspend(deps, held);
}
