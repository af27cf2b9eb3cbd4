import { AppError } from "../core/errors.ts";
import type { Principal } from "../core/principal.ts";
import { gateOf } from "./hold-history.ts";
import { runOfHold, type Gate, type Run } from "./run.ts";
import type { RunStore } from "./store.ts";

/**
 * A hold of this owner, open or of the past, with its run as it stands.
 * @throws {AppError} hold_not_found, for another owner's hold as for an unknown one
 */
export async function ownHold(
  { runs }: { runs: RunStore },
  ownerUid: string,
  holdId: string,
): Promise<{ run: Run; gate: Gate }> {
  const runId = runOfHold(holdId);
  const run = runId && (await runs.readHead(runId));
  const gate = run && run.ownerUid === ownerUid ? await gateOf(runs, run, holdId) : undefined;
  if (run && gate) return { run, gate };
  throw new AppError("hold_not_found", `there is no hold ${holdId}`, { holdId });
}

/** @throws {AppError} decider_not_allowed */
export function checkDecides(principal: Principal, holdId: string): void {
  if (principal.kind === "human" && principal.scopes.includes("holds:decide")) return;
  throw new AppError("decider_not_allowed", `${principal.principalId} is not a person who decides`, {
    holdId,
  });
}

/**
 * Who the policy lets decide, as the gate was opened with it: never whoever asked for the run. `other` is anybody
 * but the person in whose name it was asked for; a user id is that person; `owner` is any person of this library.
 * @throws {AppError} self_approval_forbidden, decider_not_allowed
 */
export function checkReviewer(
  run: Run,
  { holdId, reviewers = ["owner"] }: Gate,
  { principalId, uid }: Principal,
): void {
  if (run.requestedBy.principalId === principalId) {
    throw new AppError("self_approval_forbidden", `${principalId} asked for this run`, { holdId });
  }
  const mayDecide = reviewers.some((reviewer) => {
    if (reviewer === "other") return uid !== run.requestedBy.uid;
    return reviewer === "owner" || reviewer === uid;
  });
  if (mayDecide) return;
  if (reviewers.includes("other")) {
    throw new AppError("self_approval_forbidden", `the run was asked for in the name of ${uid}`, { holdId });
  }
  const message = `${uid} is not among this workflow's reviewers: ${reviewers.join(", ")}`;
  throw new AppError("decider_not_allowed", message, { holdId });
}
