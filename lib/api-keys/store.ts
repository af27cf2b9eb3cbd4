import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { CONTROL } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import { KeyRecord } from "./key-record.ts";

/** Before the key id, in both key attributes: the owner's keys are then one range of the index by owner. */
const PREFIX = "KEY#";

const keyOf = (keyId: string) => ({
  [CONTROL.key]: `${PREFIX}${keyId}`,
  [CONTROL.sort]: `${PREFIX}${keyId}`,
});

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

    /** All keys of an owner, revoked ones too. */
    async keysOf(ownerUid: string): Promise<KeyRecord[]> {
      const ids: string[] = [];
      let startKey: Record<string, unknown> | undefined;
      do {
        const page = await storage("list keys", () =>
          doc.send(
            new QueryCommand({
              TableName,
              IndexName: CONTROL.byOwner.index,
              KeyConditionExpression: "#owner = :owner AND begins_with(#sort, :prefix)",
              ExpressionAttributeNames: { "#owner": CONTROL.byOwner.key, "#sort": CONTROL.byOwner.sort },
              ExpressionAttributeValues: { ":owner": ownerUid, ":prefix": PREFIX },
              ExclusiveStartKey: startKey,
            }),
          ),
        );
        ids.push(...(page.Items ?? []).map((item) => String(item[CONTROL.sort]).slice(PREFIX.length)));
        startKey = page.LastEvaluatedKey;
      } while (startKey);
      const records = await Promise.all(ids.map(readKey));
      return records
        .filter((record) => record !== undefined)
        .filter((record) => record.ownerUid === ownerUid);
    },
  };
}
export type KeyStore = ReturnType<typeof createKeyStore>;
