import type { Clock } from "../core/clock.ts";
import type { Ids } from "../core/ids.ts";
import { laneKey } from "../core/keys.ts";
import type { Doorbells } from "./doorbell.ts";
import { itemKeyOf, pendingItem, runIdOf, type Item, type NewItem } from "./item.ts";
import type { QueueStore } from "./store.ts";
import { readyLane, requeueItem } from "./writes.ts";

/** What to do when the dedupe key has been used before. */
export type IfExists = "skip" | "requeue_failed" | "new_generation";

export type EnqueueReason =
  | "new"
  | "duplicate_pending"
  | "duplicate_claimed"
  | "duplicate_done"
  | "duplicate_failed"
  | "payload_mismatch";

export type Enqueued = {
  enqueued: boolean;
  reason: EnqueueReason;
  item: Item;
  /** The item's run, known from its id even before a pass makes it. */
  runId: string;
  payloadMatches: boolean;
};

/**
 * Puts one item in its lane, makes the lane ready and rings. Safe to repeat with the same dedupe key: a
 * duplicate never makes a second row, and mends a lane that a crash left unready.
 */
export async function enqueue(
  deps: { queue: QueueStore; doorbells: Doorbells; clock: Clock; ids: Ids },
  item: NewItem,
  ifExists: IfExists,
): Promise<Enqueued> {
  const lane = laneKey(item.ownerUid, item.workflowId);
  const outcome = await putItem(deps, item, ifExists);
  await deps.queue.writeLane(lane, readyLane(lane));
  await deps.doorbells.ringWake();
  return outcome;
}

async function putItem(
  { queue, clock, ids }: { queue: QueueStore; clock: Clock; ids: Ids },
  item: NewItem,
  ifExists: IfExists,
): Promise<Enqueued> {
  const at = clock.now();
  const token = ids("req");
  const first = pendingItem(item, 1, token, at);
  if (await queue.putNewItem(first)) return answer(first, "new", true);
  const known = await queue.readItem(first.lane, first.itemKey);
  // Only a removal between the two calls (a restored table, a TTL) can leave nothing here.
  if (!known) return answer(first, "new", await queue.putNewItem(first));

  // The SDK repeats a put whose answer was lost, and the repeat fails against its own success.
  if (known.enqueueToken === token) return answer(known, "new", true);

  const again = ifExists === "new_generation" || (ifExists === "requeue_failed" && known.status !== "done");
  if (again && known.status !== "pending" && known.status !== "claimed") {
    const write = requeueItem(item, { generation: known.generation, status: known.status }, token, at);
    const requeued = await queue.writeItem(known.lane, known.itemKey, write);
    const current = (await queue.readItem(first.lane, first.itemKey)) ?? known;
    if (requeued || current.enqueueToken === token) return answer(current, "new", true);
    return duplicate(current, item);
  }
  return duplicate(known, item);
}

const samePayload = (known: Item, item: NewItem): boolean => known.payloadHash === item.payloadHash;

function duplicate(known: Item, item: NewItem): Enqueued {
  if (!samePayload(known, item)) return answer(known, "payload_mismatch", false, false);
  const reason = {
    pending: "duplicate_pending",
    claimed: "duplicate_claimed",
    done: "duplicate_done",
    failed: "duplicate_failed",
    cancelled: "duplicate_failed",
  } as const satisfies Record<Item["status"], EnqueueReason>;
  return answer(known, reason[known.status], false);
}

function answer(item: Item, reason: EnqueueReason, enqueued: boolean, payloadMatches = true): Enqueued {
  const runId =
    item.status === "pending"
      ? runIdOf(item.ownerUid, item.workflowId, itemKeyOf(item.dedupeKey), item.generation)
      : item.runId;
  return { enqueued, reason, item, runId, payloadMatches };
}
