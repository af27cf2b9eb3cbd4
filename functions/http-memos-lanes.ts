import { laneKey } from "../lib/core/keys.ts";
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
