import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { inParallel } from "../core/in-parallel.ts";
import { CONTROL, CONTROL_ROWS } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import { KeyId, KeyRecord } from "./key-record.ts";

/** Before the key id, in both key attributes: the owner's keys are then one range of the index by owner. */
const PREFIX = CONTROL_ROWS.key;

/** Reads of records at a time, for one page. */
const PARALLEL = 10;

const keyOf = (keyId: string) => ({
  [CONTROL.key]: `${PREFIX}${keyId}`,
  [CONTROL.sort]: `${PREFIX}${keyId}`,
});

/** Where a list of keys goes on: behind this one. */
export const KeyPlace = z.strictObject({ keyId: KeyId });
export type KeyPlace = z.infer<typeof KeyPlace>;

/** API keys in the Control table. */
export function createKeyStore(doc: DynamoDBDocumentClient, tables: { control: string }) {
  const TableName = tables.control;

  /** Read consistently: a key that was revoked a moment ago is revoked. */
  async function readKey(keyId: string): Promise<KeyRecord | undefined> {
    const { Item } = await storage("read key", () =>
      doc.send(new GetCommand({ TableName, Key: keyOf(keyId), ConsistentRead: true })),
    );
    return Item && KeyRecord.parse(Item);
  }

  return {
    /** False when the id is taken. */
    async putKey(record: KeyRecord): Promise<boolean> {
      return conditional("put key", () =>
        doc.send(
          new PutCommand({
            TableName,
            Item: { ...keyOf(record.keyId), ...record },
            ConditionExpression: `attribute_not_exists(${CONTROL.key})`,
          }),
        ),
      );
    },

    readKey,

    /** False when the owner has no such good key. */
    async revokeKey(ownerUid: string, keyId: string, at: number): Promise<boolean> {
      return conditional("revoke key", () =>
        doc.send(
          new UpdateCommand({
            TableName,
            Key: keyOf(keyId),
            UpdateExpression: "SET revokedAt = :at",
            ConditionExpression: "ownerUid = :owner AND (revokedAt = :none OR revokedAt = :at)",
            ExpressionAttributeValues: { ":at": at, ":owner": ownerUid, ":none": null },
          }),
        ),
      );
    },

    /**
     * Writes down that the key was used, unless somebody has since `before`. It names no other attribute: the role
     * that checks keys may change no more of them than this.
     */
    async stampUse(keyId: string, at: number, before: number): Promise<boolean> {
      return conditional("stamp key", () =>
        doc.send(
          new UpdateCommand({
            TableName,
            Key: keyOf(keyId),
            UpdateExpression: "SET lastUsedAt = :at",
            ConditionExpression: `attribute_exists(${CONTROL.key}) AND (lastUsedAt = :never OR lastUsedAt <= :before OR attribute_not_exists(lastUsedAt))`,
            ExpressionAttributeValues: { ":at": at, ":before": before, ":never": null },
          }),
        ),
      );
    },

    /** A page of an owner's keys in the order of their ids, revoked ones too. */
    async keysOf(
      ownerUid: string,
      { limit, after }: { limit: number; after: KeyPlace | null },
    ): Promise<{ items: KeyRecord[]; next: KeyPlace | null }> {
      const page = await storage("list keys", () =>
        doc.send(
          new QueryCommand({
            TableName,
            IndexName: CONTROL.byOwner.index,
            KeyConditionExpression: "#owner = :owner AND begins_with(#sort, :prefix)",
            ExpressionAttributeNames: { "#owner": CONTROL.byOwner.key, "#sort": CONTROL.byOwner.sort },
            ExpressionAttributeValues: { ":owner": ownerUid, ":prefix": PREFIX },
            Limit: limit,
            ...(after && {
              ExclusiveStartKey: { ...keyOf(after.keyId), [CONTROL.byOwner.key]: ownerUid },
            }),
          }),
        ),
      );
      const ids = (page.Items ?? []).map((item) => String(item[CONTROL.sort]).slice(PREFIX.length));
      const records = await inParallel(ids, PARALLEL, readKey);
      return {
        items: records.filter(
          (record) => record !== undefined && record.ownerUid === ownerUid,
        ) as KeyRecord[],
        next: page.LastEvaluatedKey ? { keyId: KeyId.parse(ids.at(-1)) } : null,
      };
    },
  };
}
export type KeyStore = ReturnType<typeof createKeyStore>;
