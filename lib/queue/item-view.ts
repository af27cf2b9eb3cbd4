import { runIdOf, type Item } from "./item.ts";

/**
 * An item as it is shown. Asked by the id of an earlier generation, it names that generation's run and says
 * that a newer one has taken its place.
 */
export function itemView(item: Item, askedId: string) {
  const isCurrent = item.itemId === askedId;
  const generation = Number(askedId.slice(askedId.lastIndexOf("-") + 1));
  return {
    itemId: askedId,
    workflowId: item.workflowId,
    dedupeKey: item.dedupeKey,
    generation,
    status: isCurrent ? item.status : "superseded",
    supersededBy: isCurrent ? null : item.itemId,
    runId: runIdOf(item.ownerUid, item.workflowId, item.itemKey, generation),
    sessionId: item.sessionId,
    requestedBy: item.requestedBy,
    payload: isCurrent ? item.payload : null,
    payloadHash: isCurrent ? item.payloadHash : null,
    landing: isCurrent ? item.landing : null,
    forkOf: isCurrent ? (item.forkOf ?? null) : null,
    enqueuedAt: item.enqueuedAt,
    claimedAt: item.status === "claimed" ? item.claimedAt : null,
    settledAt: "settledAt" in item ? item.settledAt : null,
  };
}
