import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { conditionExpressions, updateExpressions, type ConditionalWrite } from "../core/conditional-write.ts";
import { LANES, QUEUE, SHARD, type LaneKey } from "../core/keys.ts";
import { conditional, isConditionFailed, storage } from "../core/storage-error.ts";
import type { Item } from "./item.ts";
import { emptyLane, type Lane } from "./lane.ts";

/** Items and lanes in DynamoDB: every decision is one of `writes.ts`, applied to one row. */
export function createQueueStore(doc: DynamoDBDocumentClient, tables: { queue: string; lanes: string }) {
  return {
    /** The item as it stands, read consistently. */
    async readItem(lane: LaneKey, itemKey: string): Promise<Item | undefined> {
      const { Item } = await storage("queue.readItem", () =>
        doc.send(new GetCommand({ TableName: tables.queue, Key: { lane, itemKey }, ConsistentRead: true })),
      );
      return Item as Item | undefined;
    },

    /** E1: false when a row of that key is already there. */
    putNewItem(item: Item): Promise<boolean> {
      const when = conditionExpressions([{ path: QUEUE.key, is: "absent" }]);
      return conditional("queue.putNewItem", () =>
        doc.send(new PutCommand({ TableName: tables.queue, Item: item, ...when })),
      );
    },

    /** False when the write's condition does not hold. */
    writeItem(lane: LaneKey, itemKey: string, write: ConditionalWrite): Promise<boolean> {
      return conditional(`queue.${write.name}`, () =>
        doc.send(
          new UpdateCommand({ TableName: tables.queue, Key: { lane, itemKey }, ...updateExpressions(write) }),
        ),
      );
    },

    /** The oldest pending items of a lane, read consistently: empty means empty. */
    async pendingItems(lane: LaneKey, limit: number): Promise<(Item & { status: "pending" })[]> {
      const { Items = [] } = await storage("queue.pendingItems", () =>
        doc.send(
          new QueryCommand({
            TableName: tables.queue,
            IndexName: QUEUE.pending.index,
            KeyConditionExpression: "#lane = :lane",
            ExpressionAttributeNames: { "#lane": QUEUE.key },
            ExpressionAttributeValues: { ":lane": lane },
            ConsistentRead: true,
            Limit: limit,
          }),
        ),
      );
      // The index holds keys only: the rows themselves say what is pending.
      const rows = await Promise.all(Items.map((row) => this.readItem(lane, String(row[QUEUE.sort]))));
      return rows.filter((row) => row?.status === "pending");
    },

    /** A page of a lane's items: the pending ones oldest first, or all of them in the order of their keys. */
    async itemsPage(
      lane: LaneKey,
      page: { pendingOnly: boolean; limit: number; after: Record<string, string> | undefined },
    ): Promise<{ items: Item[]; next: Record<string, string> | undefined }> {
      const { Items = [], LastEvaluatedKey } = await storage("queue.itemsPage", () =>
        doc.send(
          new QueryCommand({
            TableName: tables.queue,
            ...(page.pendingOnly && { IndexName: QUEUE.pending.index }),
            KeyConditionExpression: "#lane = :lane",
            ExpressionAttributeNames: { "#lane": QUEUE.key },
            ExpressionAttributeValues: { ":lane": lane },
            Limit: page.limit,
            ...(page.after && { ExclusiveStartKey: { ...page.after, [QUEUE.key]: lane } }),
          }),
        ),
      );
      const { [QUEUE.key]: _lane, ...next } = LastEvaluatedKey ?? {};
      const rows = page.pendingOnly
        ? await Promise.all(Items.map((row) => this.readItem(lane, String(row[QUEUE.sort]))))
        : (Items as Item[]);
      return { items: rows.filter((row) => row !== undefined), next: LastEvaluatedKey && next };
    },

    /** How many items of a lane are pending. */
    async countPending(lane: LaneKey): Promise<number> {
      let count = 0;
      let start: Record<string, unknown> | undefined;
      do {
        const page = await storage("queue.countPending", () =>
          doc.send(
            new QueryCommand({
              TableName: tables.queue,
              IndexName: QUEUE.pending.index,
              Select: "COUNT",
              KeyConditionExpression: "#lane = :lane",
              ExpressionAttributeNames: { "#lane": QUEUE.key },
              ExpressionAttributeValues: { ":lane": lane },
              ExclusiveStartKey: start,
            }),
          ),
        );
        count += page.Count ?? 0;
        start = page.LastEvaluatedKey;
      } while (start);
      return count;
    },

    /**
     * The lane as it stands, read consistently; an empty one when it has no row. `asHint` reads a copy that may
     * lag, at half the price: enough to see that nothing is to be done.
     */
    async readLane(lane: LaneKey, { asHint = false } = {}): Promise<Lane> {
      const { Item } = await storage("queue.readLane", () =>
        doc.send(new GetCommand({ TableName: tables.lanes, Key: { lane }, ConsistentRead: !asHint })),
      );
      return toLane(lane, Item);
    },

    /** The lane after the write; undefined when its condition does not hold. */
    async writeLane(lane: LaneKey, write: ConditionalWrite): Promise<Lane | undefined> {
      try {
        const { Attributes } = await storage(`queue.${write.name}`, () =>
          doc.send(
            new UpdateCommand({
              TableName: tables.lanes,
              Key: { lane },
              ...updateExpressions(write),
              ReturnValues: "ALL_NEW",
            }),
          ),
        );
        return toLane(lane, Attributes);
      } catch (error) {
        if (isConditionFailed(error)) return undefined;
        throw error;
      }
    },

    /** Lanes that may have work, least recently served first. A hint: the lane's own row decides. */
    async readyLanes(limit: number): Promise<LaneKey[]> {
      const { Items = [] } = await storage("queue.readyLanes", () =>
        doc.send(
          new QueryCommand({
            TableName: tables.lanes,
            IndexName: LANES.ready.index,
            KeyConditionExpression: "#shard = :shard",
            ExpressionAttributeNames: { "#shard": LANES.ready.key },
            ExpressionAttributeValues: { ":shard": SHARD },
            Limit: limit,
          }),
        ),
      );
      return Items.map((row) => row[LANES.key] as LaneKey);
    },

    /** The lane nearest to a place in the sweep's order, on one side of it. */
    async laneBeside(place: string, side: "above" | "below"): Promise<LaneKey | undefined> {
      const { Items = [] } = await storage("queue.laneBeside", () =>
        doc.send(
          new QueryCommand({
            TableName: tables.lanes,
            IndexName: LANES.all.index,
            KeyConditionExpression: `#shard = :shard AND #sweep ${side === "above" ? ">=" : "<="} :place`,
            ExpressionAttributeNames: { "#shard": LANES.all.key, "#sweep": LANES.all.sort },
            ExpressionAttributeValues: { ":shard": SHARD, ":place": place },
            ScanIndexForward: side === "above",
            Limit: 1,
          }),
        ),
      );
      return Items[0]?.[LANES.key] as LaneKey | undefined;
    },
  };
}
export type QueueStore = ReturnType<typeof createQueueStore>;

function toLane(lane: LaneKey, row: Record<string, unknown> | undefined): Lane {
  return { ...emptyLane(lane), ...(row as Partial<Lane> | undefined) };
}
