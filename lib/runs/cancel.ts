import { actorOf, type AuditEntry } from "../audit/entry.ts";
import type { Audit } from "../audit/note.ts";
import type { Clock } from "../core/clock.ts";
import { AppError, type StoredError } from "../core/errors.ts";
import { laneKey } from "../core/keys.ts";
import type { Principal } from "../core/principal.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import { itemPlace, runIdOf } from "../queue/item.ts";
import type { QueueStore } from "../queue/store.ts";
import { isRefused, isTerminal, type Run } from "./run.ts";
import { settle } from "./settle.ts";
import type { RunStore } from "./store.ts";
import { unfinishedSpend } from "./unfinished-spend.ts";
import { cancelRun, withdrawnHead } from "./writes.ts";

export type CancelDeps = {
  runs: RunStore;
  queue: QueueStore;
  doorbells: Doorbells;
  clock: Clock;
  audit: Audit;
};

/** A heartbeat or a checkpoint may come between the read and the write; the epoch moves on far less often. */
const CANCEL_TRIES = 3;

/**
 * Ends a run of this owner as cancelled, in any state before the intent to dispatch. A run that is already
 * cancelled answers as it stands, so a repeat is safe.
 * @throws {AppError} run_not_found, run_not_cancellable
 */
export async function cancel(
  deps: CancelDeps,
  runId: string,
  principal: Principal,
  sessionId: string | null = null,
): Promise<Run> {
  const error = new AppError("run_not_found", `there is no run ${runId}`, { runId });
  let noted: AuditEntry | undefined;
  for (let attempt = 0; attempt < CANCEL_TRIES; attempt++) {
    const run = await deps.runs.readHead(runId);
    if (!run || run.ownerUid !== principal.ownerUid) throw error;
    if (run.status === "cancelled") return run;
    if (run.status === "settling" && run.outcome === "cancelled") return finish(deps, run);
    // It is ending as cancelled already, by what its steward said.
    if (isRefused(run)) return finish(deps, run);
    if (isTerminal(run) || run.status === "settling" || run.intent) break;
    const at = deps.clock.now();
    const unfinished = await unfinishedSpend(deps.runs, run);
    const write = cancelRun(run.epoch, cancelledBy(principal, at), at, unfinished);
    const held = run.status === "suspended" ? { holdId: run.gate.holdId } : {};
    const subject = { runId, workflowId: run.workflowId, ...held };
    noted = { ...actorOf(principal, sessionId), act: "run_cancelled", at, ...subject };
    await deps.audit.note(run.ownerUid, noted, { mayRepeat: true });
    const cancelled = await deps.runs.writeHead(runId, write);
    if (cancelled) return finish(deps, cancelled);
  }
  const run = await deps.runs.readHead(runId);
  if (run?.status === "cancelled") return run;
  const status = run?.intent && !isTerminal(run) ? "dispatching" : (run?.status ?? "unknown");
  // It is on record as asked for; that it was refused after all stands beside it.
  if (noted) {
    const refused = { ...noted, at: deps.clock.now(), code: "run_not_cancellable" };
    await deps.audit.note(principal.ownerUid, refused, { mayRepeat: true });
  }
  throw new AppError("run_not_cancellable", `run ${runId} is ${status}`, { runId, runStatus: status });
}

/**
 * Withdraws an item of this owner: one that waits ends without a run, one that runs is cancelled with its run.
 * @throws {AppError} item_not_found, run_not_cancellable
 */
export async function cancelItem(
  deps: CancelDeps,
  itemId: string,
  principal: Principal,
  sessionId: string | null = null,
): Promise<Run> {
  const { ownerUid } = principal;
  const place = itemPlace(itemId);
  const item = place && (await deps.queue.readItem(laneKey(ownerUid, place.workflowId), place.itemKey));
  if (!item || item.generation < place.generation) {
    throw new AppError("item_not_found", `there is no item ${itemId}`, { itemId });
  }
  const runId = runIdOf(ownerUid, item.workflowId, item.itemKey, place.generation);
  if (item.status === "pending" && item.generation === place.generation) {
    const at = deps.clock.now();
    const subject = { itemId, runId, workflowId: item.workflowId };
    const entry = { ...actorOf(principal, sessionId), act: "item_cancelled", at, ...subject } as const;
    await deps.audit.note(ownerUid, entry, { mayRepeat: true });
    const head = withdrawnHead(item, runId, cancelledBy(principal, at), at);
    if (await deps.runs.putHead(head)) return finish(deps, head);
  }
  // A pass was first, or it has long been claimed: its run is what there is to cancel.
  return cancel(deps, runId, principal, sessionId);
}

const cancelledBy = ({ username }: Principal, at: number): StoredError => ({
  code: "cancelled",
  class: "cancelled",
  message: `cancelled by ${username}`,
  hint: "",
  at,
});

async function finish(deps: CancelDeps, run: Run): Promise<Run> {
  await settle(deps, run, "cancelled");
  return (await deps.runs.readHead(run.runId)) ?? run;
}
