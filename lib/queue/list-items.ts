import * as z from "zod";
import { laneKey } from "../core/keys.ts";
import type { Item, ItemStatus } from "./item.ts";
import { itemView } from "./item-view.ts";
import type { QueueStore } from "./store.ts";

export const ITEM_STATUSES = [
  "pending",
  "claimed",
  "done",
  "failed",
  "cancelled",
] as const satisfies readonly ItemStatus[];

/** Where a list of items goes on: in this lane, behind these keys. */
export const ItemPlace = z.strictObject({
  workflowId: z.string(),
  after: z.strictObject({ itemKey: z.string(), pendingKey: z.string().exactOptional() }).nullable(),
});
export type ItemPlace = z.infer<typeof ItemPlace>;

/** Rows that one answer may cost: a state that nothing is in must not read a whole queue. */
const MAX_ROWS = 500;
/** What a lane counts as beside its rows: a page looks into a hundred lanes that have nothing to show. */
const ROWS_A_LANE = 5;

/**
 * Items of some lanes, lane by lane, by state. An answer may hold fewer than its limit and still go on: what it
 * may cost is bounded.
 */
export async function listItems(
  { queue }: { queue: Pick<QueueStore, "itemsPage"> },
  ownerUid: string,
  given: {
    workflowIds: readonly string[];
    status: ItemStatus | undefined;
    limit: number;
    after: ItemPlace | null;
  },
): Promise<{ items: ReturnType<typeof itemView>[]; next: ItemPlace | null }> {
  const { status, limit, after: start } = given;
  const lanes = [...given.workflowIds].sort().filter((id) => id >= (start?.workflowId ?? ""));
  const items: Item[] = [];
  let rows = 0;
  for (const [index, workflowId] of lanes.entries()) {
    let after = start?.workflowId === workflowId ? (start.after ?? undefined) : undefined;
    do {
      // No more than fit into the answer, so that its last row is where the next one goes on.
      const page = await queue.itemsPage(laneKey(ownerUid, workflowId), {
        pendingOnly: status === "pending",
        limit: limit - items.length,
        after,
      });
      rows += ROWS_A_LANE + page.items.length;
      items.push(...page.items.filter((item) => status === undefined || item.status === status));
      after = page.next as typeof after;
      const following = lanes[index + 1];
      const next = after ? { workflowId, after } : following ? { workflowId: following, after: null } : null;
      if (items.length >= limit || rows >= MAX_ROWS) return { items: items.map(shown), next };
    } while (after);
  }
  return { items: items.map(shown), next: null };
}

const shown = (item: Item) => itemView(item, item.itemId);
