import type { Clock } from "../core/clock.ts";
import type { Ids } from "../core/ids.ts";
import type { LaneKey } from "../core/keys.ts";
import type { Requester } from "../core/principal.ts";
import type { Doorbells } from "./doorbell.ts";
import type { ForkOf, Item } from "./item.ts";
import type { QueueStore } from "./store.ts";
import { readyLane, requeueItem } from "./writes.ts";

export type RequeueDeps = { queue: QueueStore; doorbells: Doorbells; clock: Clock; ids: Ids };

/** Who wants it again, and under which session; a fork names what it keeps. */
export type Again = {
  requestedBy: Requester;
  sessionId: string | null;
  forkOf?: ForkOf;
  /** Puts the act on record, before it is written. */
  asked(item: Item): Promise<void>;
};

/**
 * requeued: the next generation waits. repeated: the same requester had asked for the same before, and the item is
 * shown as it is now. superseded: it went again for another reason. unsettled: it waits or runs still.
 */
export type Requeued = { outcome: "requeued" | "repeated" | "superseded" | "unsettled"; item: Item };

/**
 * E1 for a settled item, with its payload and landing as they were: its next generation, a ready lane and a bell.
 * The generation is the condition, so the same request repeated makes nothing more, and mends a lane that a crash
 * left unready. Undefined when there is no such generation.
 */
export async function requeue(
  deps: RequeueDeps,
  place: { lane: LaneKey; itemKey: string; generation: number },
  again: Again,
): Promise<Requeued | undefined> {
  const known = await deps.queue.readItem(place.lane, place.itemKey);
  if (!known || known.generation < place.generation) return undefined;
  const requeued = await nextGeneration(deps, known, place.generation, again);
  if (requeued.outcome === "unsettled" || requeued.outcome === "superseded") return requeued;
  if (requeued.item.status !== "pending") return requeued;
  await deps.queue.writeLane(place.lane, readyLane(place.lane));
  await deps.doorbells.ringWake();
  return requeued;
}

async function nextGeneration(
  { queue, clock, ids }: RequeueDeps,
  known: Item,
  generation: number,
  again: Again,
): Promise<Requeued> {
  if (known.generation > generation) return { outcome: laterOutcome(known, generation, again), item: known };
  if (known.status === "pending" || known.status === "claimed") return { outcome: "unsettled", item: known };
  await again.asked(known);
  const token = ids("req");
  const { ownerUid, workflowId, dedupeKey, payload, payloadHash, landing } = known;
  const { requestedBy, forkOf } = again;
  const sessionId = again.sessionId ?? known.sessionId;
  const next = { ownerUid, workflowId, dedupeKey, payload, payloadHash, landing, requestedBy, sessionId };
  const write = requeueItem(
    { ...next, ...(forkOf && { forkOf }) },
    { generation, status: known.status },
    token,
    clock.now(),
  );
  await queue.writeItem(known.lane, known.itemKey, write);
  const item = (await queue.readItem(known.lane, known.itemKey)) ?? known;
  // By the token and not by the write's answer: the SDK repeats a write whose answer was lost.
  if (item.enqueueToken === token) return { outcome: "requeued", item };
  return { outcome: laterOutcome(item, generation, again), item };
}

/** Whether the newest generation is what this very request would have made of the one it names. */
function laterOutcome(
  newest: Item,
  generation: number,
  { requestedBy, forkOf }: Again,
): "repeated" | "superseded" {
  const isSame =
    newest.generation === generation + 1 &&
    newest.requestedBy.principalId === requestedBy.principalId &&
    newest.forkOf?.runId === forkOf?.runId &&
    newest.forkOf?.step === forkOf?.step;
  return isSame ? "repeated" : "superseded";
}
