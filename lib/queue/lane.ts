import { digestOf } from "../core/ids.ts";
import { SHARD, laneParts, type LaneKey } from "../core/keys.ts";

/** Why a lane is not served although items may wait in it. */
export type LaneWait =
  | { reason: "compile_error"; contentVersion: number; message: string }
  | { reason: "draft" | "paused"; contentVersion: number }
  | { reason: "workflow_missing" }
  | { reason: "day_budget"; untilAt: number };

/** Where one workflow's items wait: the unit of order, concurrency, pausing, budget and fairness. */
export type Lane = {
  lane: LaneKey;
  /** Present only while the lane may have work. */
  readyShard?: string;
  /** When it was last served; a pass takes the least recently served first. */
  servedAt?: number;
  /** Runs that hold a slot. */
  inFlight: ReadonlySet<string>;
  /** Counts enqueues, so that "nothing was enqueued since I looked" is a comparison of counters, not clocks. */
  enqueueSeq: number;
  /** Counts slots taken and freed. */
  slotSeq: number;
  /** True when it left `ready` because it was full: whoever frees a slot makes it ready again. */
  capped?: boolean;
  wait?: LaneWait;
};

/** A lane that has no row yet. */
export const emptyLane = (lane: LaneKey): Lane => ({ lane, inFlight: new Set(), enqueueSeq: 0, slotSeq: 0 });

/** Attributes a lane has from its first write on. */
export const laneIdentity = (lane: LaneKey) => ({
  laneShard: SHARD,
  sweepKey: digestOf([lane]),
  ownerUid: laneParts(lane).ownerUid,
});
