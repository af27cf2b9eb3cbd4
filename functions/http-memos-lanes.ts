import { laneKey } from "../lib/core/keys.ts";
import type { Catalog } from "../lib/memos/catalog.ts";
import type { Memo } from "../lib/memos/memo.ts";
import type { Doorbells } from "../lib/queue/doorbell.ts";
import type { QueueStore } from "../lib/queue/store.ts";
import { declareLane, readyLane } from "../lib/queue/writes.ts";

/** Told of every memo that was changed over HTTP. */
export type MemoChanged = (memo: Pick<Memo, "ownerUid" | "memoId" | "memoType">) => Promise<void>;

/**
 * Gives a workflow's lane its row, and makes a lane ready that was waiting: what held it back may be mended. A
 * crash before this is mended by the slow sweep of lanes.
 */
export function wakeWaitingLane(deps: {
  queue: Pick<QueueStore, "writeLane">;
  doorbells: Pick<Doorbells, "ringWake">;
}): MemoChanged {
  return async ({ ownerUid, memoId, memoType }) => {
    if (memoType !== "workflow") return;
    const lane = laneKey(ownerUid, memoId);
    const declared = await deps.queue.writeLane(lane, declareLane(lane));
    if (!declared?.wait) return;
    await deps.queue.writeLane(lane, readyLane(lane));
    await deps.doorbells.ringWake();
  };
}

/**
 * A memo came, went by another title, or is back: makes the lanes ready that wait because their workflow did not
 * compile, since what they missed may be there now. A pass looks at each again.
 */
export function wakeBrokenLanes(deps: {
  queue: Pick<QueueStore, "readLane" | "writeLane">;
  doorbells: Pick<Doorbells, "ringWake">;
  catalog: Pick<Catalog, "workflows">;
}): (ownerUid: string) => Promise<void> {
  return async (ownerUid) => {
    const lanes = (await deps.catalog.workflows(ownerUid)).map(({ memoId }) => laneKey(ownerUid, memoId));
    const waiting = await Promise.all(lanes.map((lane) => deps.queue.readLane(lane, { asHint: true })));
    const broken = waiting.filter(({ wait }) => wait?.reason === "compile_error");
    for (const { lane } of broken) await deps.queue.writeLane(lane, readyLane(lane));
    if (broken.length > 0) await deps.doorbells.ringWake();
  };
}
