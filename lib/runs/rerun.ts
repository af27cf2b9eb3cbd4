import { actorOf, type AuditEntry } from "../audit/entry.ts";
import type { Audit } from "../audit/note.ts";
import { AppError } from "../core/errors.ts";
import { laneKey } from "../core/keys.ts";
import { requesterOf, type Principal } from "../core/principal.ts";
import { itemPlace, runIdOf, SETTLED, type ForkOf, type Item, type SettledStatus } from "../queue/item.ts";
import { requeue, type Again, type Requeued, type RequeueDeps } from "../queue/requeue.ts";
import { isTerminal, laneOf, type RunIn } from "./run.ts";
import { shownStatus } from "./run-view.ts";
import { settleAsEnded } from "./settle.ts";
import type { RunStore } from "./store.ts";

/** A run that no write changes any more. */
export type EndedRun = RunIn<SettledStatus>;

export type RerunDeps = RequeueDeps & { runs: RunStore; audit: Audit };

/** Who asks, and the session that the request names. */
export type Asking = { principal: Principal; sessionId: string | null };

/** What is done with the item: its newest generation, and whether an earlier request made it. */
export type Rerun = { item: Item; repeated: boolean };

/**
 * Puts a settled item of this owner in its lane again, as its next generation. Whoever asks is the requester of the
 * new one, and so may not decide it.
 * @throws {AppError} item_not_found, item_not_settled, run_superseded
 */
export async function requeueOf(deps: RerunDeps, itemId: string, asking: Asking): Promise<Rerun> {
  const place = itemPlace(itemId);
  const lane = place && laneKey(asking.principal.ownerUid, place.workflowId);
  const again = againOf(deps, asking, { act: "item_requeued" });
  const answer = place && lane && (await requeue(deps, { ...place, lane }, again));
  if (!answer) throw new AppError("item_not_found", `there is no item ${itemId}`, { itemId });
  if (answer.outcome !== "unsettled") return rerunOf(answer);
  const { status: itemStatus } = answer.item;
  throw new AppError("item_not_settled", `item ${itemId} is ${itemStatus}`, {
    itemId,
    itemStatus,
    allowed: SETTLED,
  });
}

/**
 * The item of a run that has ended goes again from the beginning: a new run of the workflow as it is then.
 * @throws {AppError} run_not_found, run_not_ended, item_not_found, run_superseded
 */
export async function rerun(deps: RerunDeps, runId: string, asking: Asking): Promise<Rerun> {
  const run = await readEnded(deps, runId, asking.principal);
  return goAgain(deps, run, againOf(deps, asking, { act: "run_rerun", runId }));
}

/** The next generation of an ended run's item, for a rerun or a fork. */
export async function goAgain(deps: RerunDeps, run: EndedRun, again: Again): Promise<Rerun> {
  const place = { lane: laneOf(run), itemKey: run.itemKey, generation: run.generation };
  let answer = await requeue(deps, place, again);
  if (answer?.outcome === "unsettled") {
    // A restored queue row: the run has long ended, so its item is settled as it ended.
    await settleAsEnded(deps, run, deps.clock.now());
    answer = await requeue(deps, place, again);
  }
  if (answer && answer.outcome !== "unsettled") return rerunOf(answer);
  throw new AppError("item_not_found", `the item of run ${run.runId} is gone`, { itemId: run.itemKey });
}

/**
 * A run of this owner that has ended.
 * @throws {AppError} run_not_found, run_not_ended
 */
export async function readEnded(
  { runs }: Pick<RerunDeps, "runs">,
  runId: string,
  { ownerUid }: Principal,
): Promise<EndedRun> {
  const run = await runs.readHead(runId);
  if (!run || run.ownerUid !== ownerUid) {
    throw new AppError("run_not_found", `there is no run ${runId}`, { runId });
  }
  if (isTerminal(run)) return run;
  const runStatus = shownStatus(run);
  throw new AppError("run_not_ended", `run ${runId} is ${runStatus}`, { runId, runStatus, allowed: SETTLED });
}

/** Who asks for it, and how it stands on record. */
export const againOf = (
  { audit, clock }: Pick<RerunDeps, "audit" | "clock">,
  { principal, sessionId }: Asking,
  act: Pick<AuditEntry, "act" | "runId" | "fromStep">,
  forkOf?: ForkOf,
): Again => ({
  requestedBy: requesterOf(principal),
  sessionId,
  ...(forkOf && { forkOf }),
  asked({ ownerUid, workflowId, itemId }) {
    const entry = { ...actorOf(principal, sessionId), ...act, at: clock.now(), workflowId, itemId };
    return audit.note(ownerUid, entry, { mayRepeat: true });
  },
});

/** @throws {AppError} run_superseded when something else has been made of it since */
function rerunOf({ outcome, item }: Requeued): Rerun {
  if (outcome !== "superseded") return { item, repeated: outcome === "repeated" };
  const { itemId, generation, status } = item;
  const runId = runOf(item);
  const message = `it has gone again since, as generation ${generation}, which is ${status}`;
  throw new AppError("run_superseded", message, { runId, itemId, generation, status });
}

const runOf = ({ ownerUid, workflowId, itemKey, generation }: Item) =>
  runIdOf(ownerUid, workflowId, itemKey, generation);

/** What a rerun answers: the item's newest generation and the run that it has, or will have. */
export const rerunView = ({ item, repeated }: Rerun) => ({
  itemId: item.itemId,
  runId: runOf(item),
  generation: item.generation,
  status: item.status,
  requestedBy: item.requestedBy,
  sessionId: item.sessionId,
  forkOf: item.forkOf ?? null,
  repeated,
});
