import { UpdateCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { CONTROL, CONTROL_ROWS, TTL_ATTRIBUTE } from "../core/keys.ts";
import { storage } from "../core/storage-error.ts";

/** Counts of writes by caller and window, in the Control table. */
export function createRateStore(doc: DynamoDBDocumentClient, tables: { control: string }) {
  return {
    /** Adds to a window's count and gives the sum. The window is part of the key, so that one that is over is never counted on. */
    async add(row: { caller: string; window: number; count: number; expiresAtSec: number }): Promise<number> {
      const { caller, window, count, expiresAtSec } = row;
      const { Attributes } = await storage("count writes", () =>
        doc.send(
          new UpdateCommand({
            TableName: tables.control,
            Key: { [CONTROL.key]: `${CONTROL_ROWS.rate}${caller}`, [CONTROL.sort]: String(window) },
            UpdateExpression: "ADD #count :count SET #expires = :expires",
            ExpressionAttributeNames: { "#count": "count", "#expires": TTL_ATTRIBUTE },
            ExpressionAttributeValues: { ":count": count, ":expires": expiresAtSec },
            ReturnValues: "UPDATED_NEW",
          }),
        ),
      );
      return Number(Attributes?.["count"]);
    },
  };
}
export type RateStore = ReturnType<typeof createRateStore>;
