import { AppError, storedError } from "../core/errors.ts";
import { holdForConflict } from "./conflict-hold.ts";
import { fencedWrite } from "./fence.ts";
import { readProposal } from "./output-step.ts";
import { writeTokenOf, type Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { settle } from "./settle.ts";
import { unfinishedSpend } from "./unfinished-spend.ts";
import { intend, recordOutcome } from "./writes.ts";

/** I1 after an approval: from here on the run can only land the approved bytes. */
export async function intendApproved(deps: RunnerDeps, run: Run): Promise<Run> {
  const { gate } = run;
  if (!gate) throw new AppError("internal", `run ${run.runId} was released without a gate`, {});
  const { stepId, revision } = gate;
  const sha256 = gate.decision?.lands ?? gate.sha256;
  const write = intend(run.epoch, { stepId, revision, sha256 }, "hold", deps.clock.now());
  return fencedWrite(deps.runs, run, write, (head) => {
    return head.epoch === run.epoch && head.intent?.sha256 === sha256;
  });
}

/**
 * I2, I3 and the settling. A runner that has lost its lease since the intent can only repeat the same bytes under
 * the same token, so this needs no fence. A lost compare-and-set opens a conflict hold; a source that has moved ends
 * the run with the draft kept.
 */
export async function land(deps: RunnerDeps, run: Run): Promise<void> {
  const { intent } = run;
  if (!intent) throw new AppError("internal", `run ${run.runId} lands without an intent`, {});
  const proposal = await readProposal(deps.runs, run.runId, intent);
  if (!proposal) throw new AppError("internal", `the proposal of run ${run.runId} is missing`, {});
  const dispatch = deps.dispatchers[proposal.destination];
  if (!dispatch) {
    const { destination } = proposal;
    const error = new AppError("destination_unavailable", `nothing writes to ${destination}`, {
      destination,
    });
    return fail(deps, run, storedError(error, deps.clock.now()));
  }
  const landed = await dispatch({
    ownerUid: run.ownerUid,
    runId: run.runId,
    workflowId: run.workflowId,
    sessionId: run.sessionId ?? null,
    requestedBy: run.requestedBy,
    writeToken: writeTokenOf(run.runId, intent.stepId),
    proposal,
  });
  if (landed.outcome === "lost") {
    if (landed.lostTo) return holdForConflict(deps, run, proposal, landed.lostTo);
    return fail(deps, run, landed.error);
  }
  const { memoId, contentVersion } = landed;
  return settle(deps, run, "done", { memoId, contentVersion });
}

/** T1 and the settling of a run that has nothing to land. */
export async function finish(deps: RunnerDeps, run: Run): Promise<void> {
  const write = recordOutcome(run.epoch, "done", undefined, deps.clock.now());
  const settling = await fencedWrite(deps.runs, run, write, (head) => {
    return head.epoch === run.epoch && head.status === "settling" && head.outcome === "done";
  });
  return settle(deps, settling, "done");
}

/** T1 and the settling of a run that ends without a landing. */
export async function fail(deps: RunnerDeps, run: Run, error: ReturnType<typeof storedError>): Promise<void> {
  const unfinished = await unfinishedSpend(deps.runs, run);
  const write = recordOutcome(run.epoch, "failed", error, deps.clock.now(), unfinished);
  const settling = await fencedWrite(deps.runs, run, write, (head) => {
    return head.epoch === run.epoch && head.status === "settling" && head.outcome === "failed";
  });
  return settle(deps, settling, "failed");
}
