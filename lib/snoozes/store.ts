import { DeleteCommand, PutCommand, QueryCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { CONTROL, TTL_ATTRIBUTE } from "../core/keys.ts";
import { storage } from "../core/storage-error.ts";

/** Holds that a steward does not want to see for a while: rows of that steward alone, of which no hold knows. */
export function createSnoozeStore(doc: DynamoDBDocumentClient, tables: { control: string }) {
  const TableName = tables.control;
  const partitionOf = (ownerUid: string, by: string) => `snooze#${ownerUid}#${by}`;
  const keyOf = (ownerUid: string, by: string, holdId: string) => ({
    [CONTROL.key]: partitionOf(ownerUid, by),
    [CONTROL.sort]: holdId,
  });

  return {
    /** Hides a hold until a time; a later call counts. */
    async put(ownerUid: string, by: string, holdId: string, until: number): Promise<void> {
      const Item = {
        ...keyOf(ownerUid, by, holdId),
        until,
        [TTL_ATTRIBUTE]: Math.ceil(until / 1000),
      };
      await storage("snoozes.put", () => doc.send(new PutCommand({ TableName, Item })));
    },

    /** Shows a hold again, whether or not it was hidden. */
    async remove(ownerUid: string, by: string, holdId: string): Promise<void> {
      const Key = keyOf(ownerUid, by, holdId);
      await storage("snoozes.remove", () => doc.send(new DeleteCommand({ TableName, Key })));
    },

    /** Holds that are hidden from a steward at a time, and until when. */
    async hidden(ownerUid: string, by: string, at: number): Promise<ReadonlyMap<string, number>> {
      const found = new Map<string, number>();
      let start: Record<string, unknown> | undefined;
      do {
        const page = await storage("snoozes.list", () =>
          doc.send(
            new QueryCommand({
              TableName,
              KeyConditionExpression: "#pk = :pk",
              ExpressionAttributeNames: { "#pk": CONTROL.key },
              ExpressionAttributeValues: { ":pk": partitionOf(ownerUid, by) },
              ConsistentRead: true,
              ExclusiveStartKey: start,
            }),
          ),
        );
        for (const row of page.Items ?? []) {
          // Rows outlive their time until they are swept.
          if (Number(row["until"]) > at) found.set(String(row[CONTROL.sort]), Number(row["until"]));
        }
        start = page.LastEvaluatedKey;
      } while (start);
      return found;
    },
  };
}
export type SnoozeStore = ReturnType<typeof createSnoozeStore>;
