import type { Clock } from "../lib/core/clock.ts";
import { laneKey } from "../lib/core/keys.ts";
import type { QueueStore } from "../lib/queue/store.ts";
import type { QueuePressure } from "../lib/steward/tools/ports.ts";

const PAGE = 100;
/** What one look may cost: behind so many, no later one keeps its session, and its item goes on all the same. */
const MAX_ITEMS = 300;

/** Where an owner's items wait. */
export type Lanes = {
  queue: Pick<QueueStore, "itemsPage">;
  workflowIds: (ownerUid: string) => Promise<readonly string[]>;
};

/** How many items of an owner wait, and how long the oldest has; 300 stand for that many and more. */
export function queuePressure(deps: Lanes & { clock: Clock }) {
  return async (ownerUid: string): Promise<QueuePressure> => {
    const items = await pendingItems(deps, ownerUid);
    const oldestAt = Math.min(...items.map(({ enqueuedAt }) => enqueuedAt));
    const oldestSec = items.length === 0 ? null : Math.round((deps.clock.now() - oldestAt) / 1000);
    return { pendingItems: items.length, oldestSec };
  };
}

/** The items of an owner that wait, lane by lane, the oldest of each first; at most 300. */
export async function pendingItems(deps: Lanes, ownerUid: string) {
  const items: { sessionId: string | null; enqueuedAt: number }[] = [];
  for (const workflowId of await deps.workflowIds(ownerUid)) {
    let after: Record<string, string> | undefined;
    do {
      const limit = Math.min(PAGE, MAX_ITEMS - items.length);
      if (limit <= 0) return items;
      const page = await deps.queue.itemsPage(laneKey(ownerUid, workflowId), {
        pendingOnly: true,
        limit,
        after,
      });
      items.push(...page.items);
      after = page.next;
    } while (after);
  }
  return items;
}
