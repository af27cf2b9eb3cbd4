import { GetCommand, PutCommand, QueryCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { conditionExpressions } from "../core/conditional-write.ts";
import { LEDGER, padded } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import type { AuditEntry } from "./entry.ts";

/** Where the record goes on: before this row. */
export const AuditPlace = z.strictObject({ seq: z.string().regex(/^\d{15}#[0-9a-f]{1,40}$/) });
export type AuditPlace = z.infer<typeof AuditPlace>;

/** The record of an owner, in the ledger: rows are put where none is, and never changed or taken away. */
export function createAuditStore(doc: DynamoDBDocumentClient, tableName: string) {
  const streamOf = (ownerUid: string) => `audit#${ownerUid}`;
  /** When an act that may be repeated was first put on record. */
  const firstsOf = (ownerUid: string) => `audit-first#${ownerUid}`;

  /** False when the row is there already. */
  const putOnce = (operation: string, row: Record<string, unknown>) =>
    conditional(operation, () =>
      doc.send(
        new PutCommand({
          TableName: tableName,
          Item: row,
          ...conditionExpressions([{ path: LEDGER.key, is: "absent" }]),
        }),
      ),
    );

  return {
    /** The time under which an act stands: this one, or the first under which the same act was asked for. */
    async firstAt(ownerUid: string, digest: string, at: number): Promise<number> {
      const Key = { [LEDGER.key]: firstsOf(ownerUid), [LEDGER.sort]: digest };
      if (await putOnce("audit.first", { ...Key, at })) return at;
      const { Item } = await storage("audit.readFirst", () =>
        doc.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true })),
      );
      return Number(Item?.["at"] ?? at);
    },

    /** Puts a row on record; one that is there stays as it is. */
    async append(ownerUid: string, seq: string, entry: AuditEntry): Promise<void> {
      await putOnce("audit.append", { ...entry, [LEDGER.key]: streamOf(ownerUid), [LEDGER.sort]: seq });
    },

    /** A page, newest first, none older than `since`. */
    async page(
      ownerUid: string,
      { since, limit, after }: { since: number; limit: number; after: AuditPlace | null },
    ): Promise<{ entries: (AuditEntry & { seq: string })[]; next: AuditPlace | null }> {
      const stream = streamOf(ownerUid);
      const { Items = [], LastEvaluatedKey } = await storage("audit.page", () =>
        doc.send(
          new QueryCommand({
            TableName: tableName,
            KeyConditionExpression: "#stream = :stream AND #seq >= :since",
            ExpressionAttributeNames: { "#stream": LEDGER.key, "#seq": LEDGER.sort },
            ExpressionAttributeValues: { ":stream": stream, ":since": padded(since) },
            ScanIndexForward: false,
            ConsistentRead: true,
            Limit: limit,
            ...(after && { ExclusiveStartKey: { [LEDGER.key]: stream, [LEDGER.sort]: after.seq } }),
          }),
        ),
      );
      return {
        entries: Items.map(({ [LEDGER.key]: _stream, ...entry }) => entry as AuditEntry & { seq: string }),
        next: LastEvaluatedKey ? { seq: String(LastEvaluatedKey[LEDGER.sort]) } : null,
      };
    },
  };
}
export type AuditStore = ReturnType<typeof createAuditStore>;
