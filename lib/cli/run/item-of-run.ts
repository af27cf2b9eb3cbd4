import type { ShownItem, ShownWorkflow } from "../../client/answers.ts";
import type { Api } from "../connection.ts";

/** A run's id ends as its item's does: with the item's key and its generation. */
const PLACE = /^run_[0-9a-f]{20}-([0-9a-f]{24}-[1-9]\d{0,8})$/;

/** Whether an item of the queue will become this run, which has no record yet. Asks for one item of each workflow. */
export async function hasItemToCome(api: Api, runId: string): Promise<boolean> {
  const place = PLACE.exec(runId)?.[1];
  if (place === undefined) return false;
  for (const { workflowId } of await api.list<ShownWorkflow>("/api/workflows", Infinity)) {
    const itemId = `item_${workflowId.replace(/^memo_/, "")}-${place}`;
    const answer = await api.ask<ShownItem>("GET", `/api/items/${itemId}`);
    if (!answer.ok || answer.value.runId !== runId) continue;
    return answer.value.status === "pending" || answer.value.status === "claimed";
  }
  return false;
}
