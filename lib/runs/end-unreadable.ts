import { AppError, storedError } from "../core/errors.ts";
import { laneParts } from "../core/keys.ts";
import type { Requester } from "../core/principal.ts";
import { itemIdOf, runIdOf, type Item } from "../queue/item.ts";
import { settleUnreadable } from "../queue/writes.ts";
import { isTerminal } from "./run.ts";
import { settle } from "./settle.ts";
import { unreadableHead } from "./writes.ts";

/** Nobody who could decide anything. */
const NOBODY: Requester = { principalId: "unknown", kind: "agent", uid: "unknown", username: "unknown" };

type Pending = Item & { status: "pending" };

/**
 * Ends an item whose row cannot be run, so that it holds up nothing behind it: its run is put as ending, with the
 * reason, then settled as any other. False when a run of it is already at work.
 */
export async function endUnreadable(
  deps: Parameters<typeof settle>[0],
  item: Pending,
  at: number,
): Promise<boolean> {
  const { ownerUid, workflowId } = laneParts(item.lane);
  const generation = Number.isInteger(item.generation) && item.generation > 0 ? item.generation : 1;
  const runId = runIdOf(ownerUid, workflowId, item.itemKey, generation);
  const itemId = itemIdOf(workflowId, item.itemKey, generation);
  const error = new AppError("item_unreadable", `the row of item ${itemId} is not of the right form`, {
    itemId,
  });
  const head = unreadableHead(
    { itemKey: item.itemKey, ownerUid, workflowId, generation, requestedBy: NOBODY, sessionId: null },
    runId,
    storedError(error, at),
    at,
  );
  const isNew = await deps.runs.putHead(head);
  const current = isNew ? head : await deps.runs.readHead(runId);
  if (!current || (!isTerminal(current) && current.status !== "settling")) return false;
  const outcome = isTerminal(current) ? current.status : current.outcome;
  await deps.queue.writeItem(
    item.lane,
    item.itemKey,
    settleUnreadable({ pendingKey: item.pendingKey, generation }, runId, outcome, at),
  );
  if (!isTerminal(current)) await settle(deps, current, outcome);
  return true;
}
