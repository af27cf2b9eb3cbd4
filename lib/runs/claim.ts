import type { Id } from "../core/ids.ts";
import { itemKeyOf, runIdOf, runPlace, type Item } from "../queue/item.ts";
import type { Lane } from "../queue/lane.ts";
import type { QueueStore } from "../queue/store.ts";
import { claimItem, takeSlot } from "../queue/writes.ts";
import { isTerminal } from "./run.ts";
import { freeLaneSlot, settleAsEnded } from "./settle.ts";
import type { RunStore } from "./store.ts";
import { newHead } from "./writes.ts";

export type ClaimDeps = { queue: QueueStore; runs: RunStore };

/**
 * claimed: the run exists and waits for its runner; `isOwn` when no other pass had claimed it before. refused: the lane's slots are full or have changed since it
 * was read. stopped: the run is past its start, or the item has moved on. mended: the run had ended with its
 * item pending; the item is settled now.
 */
export type ClaimOutcome =
  | { outcome: "claimed"; runId: Id<"run">; epoch: number; lane: Lane; isOwn: boolean }
  | { outcome: "refused" | "stopped" | "mended" };

/**
 * P1 to P3: slot, head, item, in this order. Every id is the same for whoever tries, so a crash after any write
 * is finished by the next claim of the same item.
 */
export async function claim(
  deps: ClaimDeps,
  lane: Lane,
  item: Item & { status: "pending" },
  limit: number,
  at: number,
): Promise<ClaimOutcome> {
  const runId = runIdOf(item.ownerUid, item.workflowId, itemKeyOf(item.dedupeKey), item.generation);
  const withSlot = await takeLaneSlot(deps.queue, lane, runId, limit, at);
  if (!withSlot) return { outcome: "refused" };
  return finishClaim(deps, withSlot, item, runId, at);
}

/** P2 and P3, for a run that has its slot. */
async function finishClaim(
  deps: ClaimDeps,
  lane: Lane,
  item: Item & { status: "pending" },
  runId: Id<"run">,
  at: number,
): Promise<ClaimOutcome> {
  const { queue, runs } = deps;
  if (!(await runs.putHead(newHead(item, runId, at)))) {
    const head = await runs.readHead(runId);
    if (head && isTerminal(head)) {
      await settleAsEnded(deps, head, at);
      return { outcome: "mended" };
    }
    if (head?.status !== "running" || head.epoch !== 0) return { outcome: "stopped" };
  }
  if (!(await queue.writeItem(item.lane, item.itemKey, claimItem(item.generation, runId, at)))) {
    const current = await queue.readItem(item.lane, item.itemKey);
    if (current?.status !== "claimed" || current.runId !== runId) return { outcome: "stopped" };
    // By its time the claim is ours, its answer lost, or another pass's, which counts it.
    return { outcome: "claimed", runId, epoch: 0, lane, isOwn: current.claimedAt === at };
  }
  return { outcome: "claimed", runId, epoch: 0, lane, isOwn: true };
}

async function takeLaneSlot(
  queue: QueueStore,
  lane: Lane,
  runId: Id<"run">,
  limit: number,
  at: number,
): Promise<Lane | undefined> {
  if (lane.inFlight.has(runId)) return lane;
  const taken = await queue.writeLane(lane.lane, takeSlot(lane, runId, limit, at));
  // The count of enqueues stays the one that was read before the list: the list shows nothing that came later.
  if (taken) return { ...taken, enqueueSeq: lane.enqueueSeq };
  const current = await queue.readLane(lane.lane);
  // With the old counters, so that no other write of this pass rests on slots that it has not seen.
  return current.inFlight.has(runId) ? { ...lane, inFlight: current.inFlight } : undefined;
}

/**
 * P5, before a lane leaves `ready`: a slot without a head is a claim that stopped half-way, and a slot of an
 * ended run would be held for ever. True when every slot belongs to a living run.
 */
export async function checkSlots(
  deps: ClaimDeps,
  lane: Lane,
  at: number,
): Promise<{ clean: boolean; claimed: { runId: Id<"run">; epoch: number }[] }> {
  const runIds = [...lane.inFlight] as Id<"run">[];
  const heads = new Map((await deps.runs.readHeads(runIds)).map((head) => [head.runId, head]));
  const claimed: { runId: Id<"run">; epoch: number }[] = [];
  let clean = true;
  for (const runId of runIds) {
    const head = heads.get(runId);
    if (head && !isTerminal(head)) continue;
    clean = false;
    if (head) {
      await freeLaneSlot(deps.queue, lane.lane, runId);
      continue;
    }
    const place = runPlace(runId);
    const item = place && (await deps.queue.readItem(lane.lane, place.itemKey));
    if (item?.status !== "pending" || item.generation !== place?.generation) continue;
    const finished = await finishClaim(deps, lane, item, runId, at);
    if (finished.outcome === "claimed") claimed.push({ runId, epoch: finished.epoch });
  }
  return { clean, claimed };
}
