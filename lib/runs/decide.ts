import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Ids } from "../core/ids.ts";
import type { Principal } from "../core/principal.ts";
import type { GuardResult } from "../holds/guards.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import { decidedBytes, type BytesDeps } from "./decided-bytes.ts";
import { saidOf, type DecisionRequest } from "./decision-request.ts";
import { decideHold } from "./gate-writes.ts";
import { checkDecides, checkReviewer, ownHold } from "./hold-access.ts";
import { gateOf } from "./hold-history.ts";
import { putProposal, readProposal } from "./output-step.ts";
import { reasonPart } from "./parts.ts";
import { readPlan } from "./plan.ts";
import { revisionsLeft, sourceIndexOf } from "./revise.ts";
import { VERDICTS_OF, type Decision, type Gate, type Run, type Verdict } from "./run.ts";

export type Decided = {
  run: Run;
  decision: Decision;
  /** What the guards say of the bytes that may land, where they are others than those the hold showed. */
  guards?: readonly GuardResult[];
};

export type DecideDeps = BytesDeps & {
  doorbells: Doorbells;
  clock: Clock;
  ids: Ids;
  /** Puts on record what was asked for, before anything of it is written. */
  asked?(run: Run, hold: { holdId: string; sha256: string }, decision: Decision): Promise<void>;
};

/**
 * Records one decision on a run, for exactly the bytes that were shown. Two stewards: the second gets
 * `already_decided` with the first's decision. Safe to repeat with the same `decisionId`, also when the run has
 * moved on to another hold.
 * @throws {AppError} hold_not_found, decider_not_allowed, self_approval_forbidden, already_decided,
 *   verdict_not_allowed, revisions_exhausted, stale_proposal, hold_closed, and what `decidedBytes` throws
 */
export async function decide(
  deps: DecideDeps,
  holdId: string,
  principal: Principal,
  request: DecisionRequest,
): Promise<Decided> {
  checkDecides(principal, holdId);
  const { run: head, gate } = await ownHold(deps, principal.ownerUid, holdId);
  checkReviewer(head, gate, principal);
  const decision: Decision = {
    decisionId: request.decisionId ?? deps.ids("dec"),
    verdict: request.verdict,
    by: principal.principalId,
    username: principal.username,
    at: deps.clock.now(),
    ...(request.reason && { hasReason: true }),
    said: saidOf(request),
  };
  const closed = closedBy(head, gate);
  const run = closed
    ? await recognised(deps, head, gate, { decision, request })
    : await record(deps, head, gate, { decision, request });
  const known = run.gate?.holdId === holdId ? run.gate : await gateOf(deps.runs, run, holdId);
  const recorded = known?.decision ?? decision;
  // Rung again by a repeat: the first answer may have been lost before the bell.
  if (run.status === "suspended" && run.gate.holdId === holdId) {
    await deps.doorbells.ringRuns([{ runId: run.runId, epoch: run.epoch }]);
  }
  const guards = recorded.lands && (await landingOf(deps, run, gate, recorded))?.guards;
  return { run, decision: shown(recorded), ...(guards && { guards }) };
}

const landingOf = (deps: DecideDeps, run: Run, gate: Gate, { lands }: Decision) =>
  readProposal(deps.runs, run.runId, { ...gate, sha256: lands ?? gate.sha256 });

/** Whether nothing more can be decided of this hold; what cannot is answered without leaving anything behind. */
const closedBy = ({ status, gate: current }: Run, { holdId, decision }: Gate): boolean =>
  status !== "suspended" || current?.holdId !== holdId || decision !== undefined;

type Said = { decision: Decision; request: DecisionRequest };

async function record(deps: DecideDeps, head: Run, gate: Gate, said: Said): Promise<Run> {
  const { request } = said;
  const { holdId, sha256 } = gate;
  await checkVerdict(deps, head, gate, request.verdict);
  if (sha256 !== request.sha256) {
    throw new AppError("stale_proposal", `hold ${holdId} shows ${sha256}`, {
      holdId,
      shown: request.sha256,
      current: sha256,
    });
  }
  const landing = await decidedBytes(deps, head, gate, request);
  const decision: Decision = { ...said.decision, ...(landing && { lands: landing.sha256 }) };
  const hold = { holdId, sha256, ownerUid: head.ownerUid };
  await deps.asked?.(head, hold, decision);
  // Before the decision, so that no decision stands without its reason or its bytes; unused ones are never read.
  if (request.reason) {
    await deps.runs.putPart(head.runId, { part: reasonPart(decision), text: request.reason });
  }
  if (landing) await putProposal(deps.runs, head.runId, landing);
  const written = await deps.runs.writeHead(head.runId, decideHold(hold, decision));
  if (written) return written;
  const now = await ownHold(deps, head.ownerUid, holdId);
  return recognised(deps, now.run, now.gate, { decision, request });
}

/** @throws {AppError} verdict_not_allowed, revisions_exhausted */
async function checkVerdict(deps: DecideDeps, run: Run, gate: Gate, verdict: Verdict): Promise<void> {
  const { holdId, kind, stepId } = gate;
  const allowed: readonly Verdict[] = VERDICTS_OF[kind];
  if (!allowed.includes(verdict)) {
    const message = `a hold of kind ${kind} takes ${allowed.join(", ")}, not ${verdict}`;
    throw new AppError("verdict_not_allowed", message, { holdId, verdict, allowed });
  }
  if (verdict !== "request_changes") return;
  const plan = await readPlan(deps.runs, run.runId);
  if (plan && sourceIndexOf(plan.manifest, stepId) !== undefined && revisionsLeft(run, plan) > 0) return;
  const { max } = plan?.manifest.policy.onChangesRequested ?? { max: 0 };
  const message = `the draft was revised ${run.revision - 1} of at most ${max} times`;
  throw new AppError("revisions_exhausted", message, {
    holdId,
    max,
    allowed: allowed.filter((other) => other !== verdict),
  });
}

/** Why the decision was not recorded; or the run, when this very decision had been. */
async function recognised(deps: DecideDeps, run: Run, gate: Gate, { decision, request }: Said): Promise<Run> {
  const { holdId, decision: known } = gate;
  if (known && (await isSame(deps, run, gate, known, { decision, request }))) return run;
  if (known) {
    const message = `${known.username} has already said ${known.verdict}`;
    throw new AppError("already_decided", message, { holdId, decision: shown(known) });
  }
  throw new AppError("hold_closed", `hold ${holdId} is closed: the run is ${run.status}`, {
    holdId,
    runStatus: run.status,
  });
}

/** The same id of the same person is a repeat only where it says the same. */
async function isSame(
  deps: DecideDeps,
  run: Run,
  gate: Gate,
  known: Decision,
  { decision, request }: Said,
): Promise<boolean> {
  const { decisionId, by, verdict, said } = known;
  if (decisionId !== decision.decisionId || by !== decision.by || verdict !== decision.verdict) return false;
  if (said !== undefined) return said === decision.said;
  // Decided before decisions kept a digest.
  if (!known.lands || !("text" in request) || request.text === undefined) return true;
  return (await landingOf(deps, run, gate, known))?.text === request.text;
}

/** A decision as it is answered: its digest is the store's own. */
function shown({ said: _digest, ...decision }: Decision): Decision {
  return decision;
}
