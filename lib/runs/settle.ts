import type { Clock } from "../core/clock.ts";
import type { Id } from "../core/ids.ts";
import type { LaneKey } from "../core/keys.ts";
import type { NoticeStore } from "../notices/store.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import type { SettledStatus } from "../queue/item.ts";
import type { QueueStore } from "../queue/store.ts";
import { freeSlot, settleItem } from "../queue/writes.ts";
import { laneOf, type LandingRecord, type Run, type RunIn } from "./run.ts";
import type { RunStore } from "./store.ts";
import { tellOfEnd } from "./tell.ts";
import { endRun } from "./writes.ts";

/** A slot's condition names whether the lane is capped; another writer may change that a few times. */
const SLOT_TRIES = 5;

export type SettleDeps = {
  queue: QueueStore;
  runs: RunStore;
  doorbells: Doorbells;
  clock: Clock;
  /** Absent where only what a person has ended is settled. */
  notices?: Pick<NoticeStore, "put">;
};

/**
 * T2, T3, T4: the item, then the lane slot, then the head leaves `active`. Anybody may do it, any number of
 * times, for a run whose end is recorded; a crash in between is finished by the next one.
 */
export async function settle(
  deps: SettleDeps,
  run: Run,
  outcome: SettledStatus,
  landing?: LandingRecord,
): Promise<void> {
  const at = deps.clock.now();
  const { notices } = deps;
  // Before the first write: a crash after it is settled by somebody who says the same once more.
  if (notices) await tellOfEnd({ ...deps, notices }, run, outcome);
  const lane = laneOf(run);
  await deps.queue.writeItem(lane, run.itemKey, settleItem(run.generation, run.runId, outcome, at));
  const freed = await freeLaneSlot(deps.queue, lane, run.runId);
  await deps.runs.writeHead(
    run.runId,
    endRun(outcome, { epoch: run.epoch, settledAt: at, ...(landing && { landing }) }),
  );
  if (freed.ready) await deps.doorbells.ringWake();
}

/** For a restored or expired queue row: settles a pending item as its run ended long ago, and frees the slot. */
export async function settleAsEnded(
  deps: { queue: QueueStore },
  run: RunIn<SettledStatus>,
  at: number,
): Promise<void> {
  const lane = laneOf(run);
  await deps.queue.writeItem(lane, run.itemKey, settleItem(run.generation, run.runId, run.status, at));
  await freeLaneSlot(deps.queue, lane, run.runId);
}

/** H2, T3: frees one slot, and makes a lane that was full ready again in the same write. Safe to repeat. */
export async function freeLaneSlot(
  queue: QueueStore,
  lane: LaneKey,
  runId: Id<"run">,
): Promise<{ ready: boolean }> {
  // Most lanes are not capped, so the first try needs no read.
  let wasCapped = false;
  for (let attempt = 0; attempt < SLOT_TRIES; attempt++) {
    const freed = await queue.writeLane(lane, freeSlot(runId, wasCapped));
    if (freed) return { ready: freed.readyShard !== undefined };
    const current = await queue.readLane(lane);
    if (!current.inFlight.has(runId)) return { ready: current.readyShard !== undefined };
    wasCapped = current.capped ?? false;
  }
  // Whoever settles next tries again; until then the run stays in `active`.
  throw new Error(`slot of ${runId} could not be freed`);
}
