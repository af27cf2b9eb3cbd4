import type { ConditionalWrite } from "../core/conditional-write.ts";
import { SHARD, type LaneKey } from "../core/keys.ts";
import type { Id } from "../core/ids.ts";
import { pendingItem, type NewItem, type SettledStatus } from "./item.ts";
import { laneIdentity, type Lane, type LaneWait } from "./lane.ts";

// Each function is one row of the table of writes; the names in front are its names there.

/** E1 for a repeat: the settled item becomes pending again, as the next generation. */
export function requeueItem(
  item: NewItem,
  seen: { generation: number; status: SettledStatus },
  enqueueToken: string,
  at: number,
): ConditionalWrite {
  const {
    lane: _lane,
    itemKey: _itemKey,
    ...next
  } = pendingItem(item, seen.generation + 1, enqueueToken, at);
  return {
    name: "E1 requeue",
    set: next,
    // A fork is of one generation: the next one starts from the beginning unless it is asked to fork too.
    remove: ["runId", "claimedAt", "settledAt", ...(item.forkOf ? [] : ["forkOf"])],
    when: [
      { path: "generation", is: "=", value: seen.generation },
      { path: "status", is: "=", value: seen.status },
    ],
  };
}

/** E2: the lane may have work. Repeated by a duplicate enqueue, so that a crash after E1 is mended by a retry. */
export function readyLane(lane: LaneKey): ConditionalWrite {
  return {
    name: "E2 ready",
    set: { readyShard: SHARD, ...laneIdentity(lane) },
    // The index of ready lanes sorts by it; a lane that was never served comes first.
    setOnce: { servedAt: 0 },
    remove: ["capped", "wait"],
    add: { enqueueSeq: 1 },
    when: [],
  };
}

/**
 * A workflow was written: its lane has a row before the first item comes, so that the sweep finds an item whose
 * enqueue died between its row and its lane.
 */
export function declareLane(lane: LaneKey): ConditionalWrite {
  return { name: "declare", setOnce: laneIdentity(lane), when: [] };
}

/** P1: one slot for one run. Its place in the order of service moves to the back in the same write. */
export function takeSlot(lane: Lane, runId: Id<"run">, limit: number, at: number): ConditionalWrite {
  return {
    name: "P1 slot",
    set: { servedAt: at },
    add: { inFlight: new Set([runId]), slotSeq: 1 },
    // By the counter and not by size alone: a slot freed and taken again since the read belongs to somebody else.
    when: [
      { path: "inFlight", is: "lacks", value: runId },
      { path: "inFlight", is: "size<", value: limit },
      lane.slotSeq === 0
        ? { any: [[{ path: "slotSeq", is: "absent" }], [{ path: "slotSeq", is: "=", value: 0 }]] }
        : { path: "slotSeq", is: "=", value: lane.slotSeq },
    ],
  };
}

/** P3: the item of that generation belongs to the run. */
export function claimItem(generation: number, runId: Id<"run">, at: number): ConditionalWrite {
  return {
    name: "P3 claim",
    set: { status: "claimed", runId, claimedAt: at },
    remove: ["pendingKey"],
    when: [
      { path: "status", is: "=", value: "pending" },
      { path: "generation", is: "=", value: generation },
    ],
  };
}

const unchangedSince = (
  lane: Lane,
  counters: readonly ("enqueueSeq" | "slotSeq")[],
): ConditionalWrite["when"] =>
  counters.map((path) =>
    lane[path] === 0
      ? { any: [[{ path, is: "absent" as const }], [{ path, is: "=" as const, value: 0 }]] }
      : { path, is: "=" as const, value: lane[path] },
  );

/** P4: an empty lane leaves `ready`, unless something was enqueued or a slot changed since it was read. */
export function clearEmpty(lane: Lane): ConditionalWrite {
  return {
    name: "P4 empty",
    remove: ["readyShard", "capped"],
    when: unchangedSince(lane, ["enqueueSeq", "slotSeq"]),
  };
}

/** P6: a full lane leaves `ready`; the next slot that is freed brings it back. */
export function clearFull(lane: Lane, limit: number): ConditionalWrite {
  return {
    name: "P6 full",
    set: { capped: true },
    remove: ["readyShard"],
    when: [...unchangedSince(lane, ["slotSeq"]), { path: "inFlight", is: "size>=", value: limit }],
  };
}

/** A lane whose workflow may not run leaves `ready` with the reason; its items stay pending. */
export function clearWaiting(lane: Lane, wait: LaneWait): ConditionalWrite {
  return {
    name: "P4 waiting",
    set: { wait },
    remove: ["readyShard"],
    when: unchangedSince(lane, ["enqueueSeq"]),
  };
}

/** T2: the item is settled as its run ended, if it is still of that generation. */
export function settleItem(
  generation: number,
  runId: Id<"run">,
  outcome: SettledStatus,
  at: number,
): ConditionalWrite {
  return {
    name: "T2 item",
    set: { status: outcome, runId, settledAt: at },
    remove: ["pendingKey", "claimedAt"],
    when: [
      { path: "generation", is: "=", value: generation },
      { path: "status", is: "in", values: ["pending", "claimed"] },
    ],
  };
}

/**
 * T2 of an item that cannot be read: by its place among the pending ones, which its enqueue alone has, since the
 * generation may be what is broken.
 */
export function settleUnreadable(
  seen: { pendingKey: string; generation: number },
  runId: Id<"run">,
  outcome: SettledStatus,
  at: number,
): ConditionalWrite {
  return {
    name: "T2 unreadable",
    set: { status: outcome, runId, generation: seen.generation, settledAt: at },
    remove: ["pendingKey", "claimedAt"],
    when: [{ path: "pendingKey", is: "=", value: seen.pendingKey }],
  };
}

/** H2, T3: the slot is free; a lane that was full is ready again in the same write. */
export function freeSlot(runId: Id<"run">, wasCapped: boolean): ConditionalWrite {
  return {
    name: "T3 slot",
    ...(wasCapped && { set: { readyShard: SHARD }, remove: ["capped"] }),
    add: { slotSeq: 1 },
    drop: { inFlight: new Set([runId]) },
    when: [
      { path: "inFlight", is: "contains", value: runId },
      wasCapped ? { path: "capped", is: "exists" } : { path: "capped", is: "absent" },
    ],
  };
}
