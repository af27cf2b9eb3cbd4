import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Ids } from "../core/ids.ts";
import type { Principal } from "../core/principal.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import { reasonPart } from "./parts.ts";
import { runOfHold, type Decision, type Gate, type Run } from "./run.ts";
import type { RunStore } from "./store.ts";
import { decideHold } from "./gate-writes.ts";

/** What a person may say of a hold here. */
export const VERDICTS = ["approve", "reject"] as const;

export type DecisionRequest = {
  verdict: (typeof VERDICTS)[number];
  /** Of the proposal that was shown. */
  sha256: string;
  reason?: string | undefined;
  /** Named by a client that may repeat the request: the same id again gets the same answer. */
  decisionId?: string | undefined;
};

export type Decided = { run: Run; decision: Decision };

/**
 * Records one decision on a run, for exactly the bytes that were shown. Two stewards: the second gets
 * `already_decided` with the first's decision. Safe to repeat with the same `decisionId`.
 * @throws {AppError} hold_not_found, decider_not_allowed, self_approval_forbidden, already_decided,
 *   stale_proposal, hold_closed
 */
export async function decide(
  deps: { runs: RunStore; doorbells: Doorbells; clock: Clock; ids: Ids },
  holdId: string,
  principal: Principal,
  request: DecisionRequest,
): Promise<Decided> {
  if (principal.kind !== "human" || !principal.scopes.includes("holds:decide")) {
    throw new AppError("decider_not_allowed", `${principal.principalId} is not a person who decides`, {
      holdId,
    });
  }
  const runId = runOfHold(holdId);
  const head = runId && (await deps.runs.readHead(runId));
  if (!head || head.ownerUid !== principal.ownerUid || !head.gate || !isHoldOf(head, holdId)) {
    throw new AppError("hold_not_found", `there is no hold ${holdId}`, { holdId });
  }
  if (head.requestedBy.principalId === principal.principalId) {
    const message = `${principal.principalId} asked for this run`;
    throw new AppError("self_approval_forbidden", message, { holdId });
  }
  checkReviewer(head, head.gate, principal);
  const decision: Decision = {
    decisionId: request.decisionId ?? deps.ids("dec"),
    verdict: request.verdict,
    by: principal.principalId,
    username: principal.username,
    at: deps.clock.now(),
    ...(request.reason && { hasReason: true }),
  };
  const hold = { holdId, sha256: request.sha256, ownerUid: principal.ownerUid };
  const run = isOpen(head, hold)
    ? await record(deps, head, hold, decision, request.reason)
    : recognised(head, hold, decision);
  const recorded = run.gate?.decision ?? decision;
  // Rung again by a repeat: the first answer may have been lost before the bell.
  if (run.status === "suspended") await deps.doorbells.ringRuns([{ runId: run.runId, epoch: run.epoch }]);
  return { run, decision: recorded };
}

/**
 * Who the policy lets decide, as the gate was opened with it: `other` is anybody but the person in whose name the
 * run was asked for; a user id is that person; `owner` is any person of this library.
 */
function checkReviewer(run: Run, { holdId, reviewers = ["owner"] }: Gate, { uid }: Principal): void {
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

type Hold = { holdId: string; sha256: string; ownerUid: string };

/** Whether a decision can still be recorded; what cannot is answered without leaving anything behind. */
const isOpen = ({ status, gate }: Run, { holdId, sha256 }: Hold): boolean =>
  status === "suspended" && gate?.holdId === holdId && gate.sha256 === sha256 && !gate.decision;

async function record(
  { runs }: { runs: RunStore },
  { runId }: Run,
  hold: Hold,
  decision: Decision,
  reason: string | undefined,
): Promise<Run> {
  // Before the decision, so that no decision stands without its reason; an unused one is never read.
  if (reason) await runs.putPart(runId, { part: reasonPart(decision), text: reason });
  const written = await runs.writeHead(runId, decideHold(hold, decision));
  return written ?? recognised(await runs.readHead(runId), hold, decision);
}

/** Why the decision was not recorded; or the run, when this very decision had been. */
function recognised(run: Run | undefined, hold: Hold, decision: Decision): Run {
  const { holdId } = hold;
  if (!run?.gate) throw new AppError("hold_not_found", `there is no hold ${holdId}`, { holdId });
  if (run.gate.holdId !== holdId) {
    throw new AppError("hold_closed", `hold ${holdId} is closed; the run has moved on`, {
      holdId,
      runStatus: run.status,
    });
  }
  const known = run.gate.decision;
  if (
    known?.decisionId === decision.decisionId &&
    known.by === decision.by &&
    known.verdict === decision.verdict
  ) {
    return run;
  }
  if (known) {
    const message = `${known.username} has already said ${known.verdict}`;
    throw new AppError("already_decided", message, { holdId, decision: known });
  }
  if (run.status === "suspended" && run.gate.sha256 !== hold.sha256) {
    throw new AppError("stale_proposal", `hold ${holdId} shows ${run.gate.sha256}`, {
      holdId,
      shown: hold.sha256,
      current: run.gate.sha256,
    });
  }
  throw new AppError("hold_closed", `hold ${holdId} is closed: the run is ${run.status}`, {
    holdId,
    runStatus: run.status,
  });
}

/** A hold of the past is still its run's: it answers as closed, not as unknown. */
function isHoldOf(run: Run, holdId: string): boolean {
  const n = Number(/-h(\d+)$/.exec(holdId)?.[1]);
  return n >= 1 && n <= run.holdSeq;
}
