import type { Id } from "../core/ids.ts";
import { fencedWrite } from "./fence.ts";
import { openConflict, openGate } from "./gate-writes.ts";
import { keepDecision } from "./hold-history.ts";
import type { Plan } from "./plan.ts";
import { holdIdOf, type Gate, type Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { unfinishedSpend } from "./unfinished-spend.ts";

/** The id of the hold that the run would open next. */
export const nextHoldId = (run: Pick<Run, "runId" | "holdSeq">): Id<"hold"> =>
  holdIdOf(run.runId, run.holdSeq + 1);

/** H1, and I4 for a conflict: the run stops for a person, for as long as its policy says. */
export async function openHold(
  deps: Pick<RunnerDeps, "runs" | "clock">,
  run: Run,
  { manifest: { policy } }: Pick<Plan, "manifest">,
  shown: Pick<Gate, "kind" | "stepId" | "revision" | "sha256">,
): Promise<Run> {
  const at = deps.clock.now();
  const { reviewers } = policy;
  const isOpenToAll = reviewers.every((reviewer) => reviewer === "owner");
  const gate: Gate = {
    ...shown,
    holdId: nextHoldId(run),
    openedAt: at,
    expiresAt: at + policy.hold.expiresMs,
    ...(!isOpenToAll && { reviewers }),
  };
  await keepDecision(deps.runs, run);
  const holdSeq = run.holdSeq + 1;
  // Only a step that could not be asked leaves calls that no row of a finished step stands for.
  const unfinished = gate.kind === "budget" ? await unfinishedSpend(deps.runs, run) : undefined;
  const write =
    gate.kind === "conflict"
      ? openConflict(run.epoch, gate, holdSeq, at)
      : openGate(run.epoch, gate, holdSeq, at, unfinished);
  return fencedWrite(deps.runs, run, write, (head) => {
    return head.epoch === run.epoch && head.gate?.holdId === gate.holdId;
  });
}
