import { PutCommand, QueryCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { DAY_MS } from "../core/duration.ts";
import type { Id } from "../core/ids.ts";
import { CONTROL, padded, TTL_ATTRIBUTE } from "../core/keys.ts";
import { storage } from "../core/storage-error.ts";
import type { PassReport } from "../runs/pass-report.ts";

/** How long a report is kept. */
const KEPT_MS = 30 * DAY_MS;

const PARTITION = "passes";

/** What one round did. */
export type PassRecord = PassReport & { passId: Id<"pass">; round: string; at: number };

/** Where the list goes on: after this report. */
export const PassPlace = z.strictObject({ sk: z.string() });
export type PassPlace = z.infer<typeof PassPlace>;

/** Reports of the rounds that did something, newest first. Counts only: they name no owner, no memo and no run. */
export function createPassStore(doc: DynamoDBDocumentClient, tables: { control: string }) {
  return {
    async put(record: PassRecord): Promise<void> {
      const Item = {
        [CONTROL.key]: PARTITION,
        [CONTROL.sort]: `${padded(record.at)}#${record.passId}`,
        [TTL_ATTRIBUTE]: Math.ceil((record.at + KEPT_MS) / 1000),
        report: record,
      };
      await storage("passes.put", () => doc.send(new PutCommand({ TableName: tables.control, Item })));
    },

    async list(
      limit: number,
      after: PassPlace | null,
    ): Promise<{ items: PassRecord[]; next: PassPlace | null }> {
      const { Items = [], LastEvaluatedKey } = await storage("passes.list", () =>
        doc.send(
          new QueryCommand({
            TableName: tables.control,
            KeyConditionExpression: "#pk = :pk",
            ExpressionAttributeNames: { "#pk": CONTROL.key },
            ExpressionAttributeValues: { ":pk": PARTITION },
            ScanIndexForward: false,
            Limit: limit,
            ...(after && { ExclusiveStartKey: { [CONTROL.key]: PARTITION, [CONTROL.sort]: after.sk } }),
          }),
        ),
      );
      const items = Items.map((row) => row["report"] as PassRecord);
      return { items, next: LastEvaluatedKey ? { sk: String(LastEvaluatedKey[CONTROL.sort]) } : null };
    },
  };
}
export type PassStore = ReturnType<typeof createPassStore>;
