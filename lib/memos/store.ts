import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { sha256, utf8Bytes } from "../core/bytes.ts";
import { AppError } from "../core/errors.ts";
import { isId } from "../core/ids.ts";
import { updateExpressions } from "../core/conditional-write.ts";
import { CONTROL, MEMOS, SHARD } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import { CHUNK_MAX_BYTES, splitText } from "../core/chunks.ts";
import type { Memo } from "./memo.ts";
import { Change, ChainLink, chunkRef, Head, HEAD_PART, memoKey, VersionRow } from "./row.ts";
import { UNTOLD, versionFloor, versionRef } from "./row.ts";

/** Keys in one batch read: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
const BATCH_MAX_KEYS = 100;
/** A batch may come back in parts (16 MB an answer); past this many empty-handed answers it is throttling. */
const BATCH_MAX_STALLS = 5;

const LibraryRow = z.object({ libraryVersion: z.number() });
type Key = Record<string, string>;

const rowKey = (ownerUid: string, memoId: string, part: string): Key => ({
  [MEMOS.key]: memoKey(ownerUid, memoId),
  [MEMOS.sort]: part,
});
const libraryKey = (ownerUid: string): Key => ({
  [CONTROL.key]: `LIBRARY#${ownerUid}`,
  [CONTROL.sort]: "VERSION",
});

/** Memos in DynamoDB: a head that is moved by compare-and-set over rows of versions that never change. */
export function createMemoStore(doc: DynamoDBDocumentClient, tables: { memos: string; control: string }) {
  async function getAll(operation: string, keys: readonly Key[]): Promise<unknown[]> {
    const items: unknown[] = [];
    for (let from = 0; from < keys.length; from += BATCH_MAX_KEYS) {
      let request: BatchGetCommandInput["RequestItems"] = {
        [tables.memos]: { Keys: keys.slice(from, from + BATCH_MAX_KEYS), ConsistentRead: true },
      };
      let stalls = 0;
      while (request && Object.keys(request).length > 0) {
        const RequestItems: BatchGetCommandInput["RequestItems"] = request;
        const answer: BatchGetCommandOutput = await storage(operation, () =>
          doc.send(new BatchGetCommand({ RequestItems })),
        );
        const found = answer.Responses?.[tables.memos] ?? [];
        items.push(...found);
        request = answer.UnprocessedKeys;
        if (found.length === 0 && ++stalls > BATCH_MAX_STALLS) {
          throw new AppError("storage_throttled", `${operation} was answered in part only`, {
            operation,
            requestId: answer.$metadata.requestId,
          });
        }
      }
    }
    return items;
  }

  async function queryAll(operation: string, input: QueryCommandInput): Promise<unknown[]> {
    const items: unknown[] = [];
    let ExclusiveStartKey: QueryCommandInput["ExclusiveStartKey"];
    do {
      const page: QueryCommandInput = ExclusiveStartKey ? { ...input, ExclusiveStartKey } : input;
      const answer = await storage(operation, () => doc.send(new QueryCommand(page)));
      items.push(...(answer.Items ?? []));
      ExclusiveStartKey = answer.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return items;
  }

  /** Puts a chunked text together again; @throws {AppError} internal when a piece is missing or altered. */
  async function assembled(ownerUid: string, row: VersionRow): Promise<Memo> {
    const { memoKey: _key, part, previousRef: _previous, bodyChunks, notesChunks, ...version } = row;
    const refs = [
      ...Array.from({ length: bodyChunks }, (_, index) => chunkRef(part, "body", index)),
      ...Array.from({ length: notesChunks }, (_, index) => chunkRef(part, "notes", index)),
    ];
    if (refs.length === 0) {
      return { ...version, ownerUid, body: version.body ?? "", notes: version.notes ?? "" };
    }
    const rows = z.array(z.object({ part: z.string(), text: z.string() })).parse(
      await getAll(
        "memos.chunks",
        refs.map((ref) => rowKey(ownerUid, version.memoId, ref)),
      ),
    );
    const textOf = new Map(rows.map((chunk) => [chunk.part, chunk.text]));
    const pieces = refs.map((ref) => textOf.get(ref) ?? "");
    const body = pieces.slice(0, bodyChunks).join("");
    const notes = pieces.slice(bodyChunks).join("");
    if (sha256(body) !== version.contentHash || sha256(notes) !== version.notesHash) {
      throw new AppError("internal", `the text of ${version.memoId} at ${part} does not match its hash`, {});
    }
    return { ...version, ownerUid, body, notes };
  }

  return {
    /** The current state, read consistently; a deleted memo's tombstone is returned too. */
    async head(ownerUid: string, memoId: string): Promise<Head | undefined> {
      // A text with a `#` would name a row of an owner whose name begins like this one's.
      if (!isId("memo", memoId)) return undefined;
      const { Item } = await storage("memos.head", () =>
        doc.send(
          new GetCommand({
            TableName: tables.memos,
            Key: rowKey(ownerUid, memoId, HEAD_PART),
            ConsistentRead: true,
          }),
        ),
      );
      return Item && Head.parse(Item);
    },

    /** The current states of several memos, read consistently, in no order. */
    async heads(ownerUid: string, memoIds: readonly string[]): Promise<Head[]> {
      const keys = memoIds.map((memoId) => rowKey(ownerUid, memoId, HEAD_PART));
      return z.array(Head).parse(await getAll("memos.heads", keys));
    },

    /** Versions by their rows, in no order; a version never changes, so this is exact. */
    async versions(ownerUid: string, refs: readonly { memoId: string; bodyRef: string }[]): Promise<Memo[]> {
      const keys = refs.map(({ memoId, bodyRef }) => rowKey(ownerUid, memoId, bodyRef));
      const rows = z.array(VersionRow).parse(await getAll("memos.versions", keys));
      const memos: Memo[] = [];
      for (const row of rows) memos.push(await assembled(ownerUid, row));
      return memos;
    },

    /** Puts a version where nothing points to it yet. False when this write put it there before. */
    async putVersion(memo: Memo, previousRef: string | null): Promise<boolean> {
      const { body, notes, ownerUid, ...version } = memo;
      const ref = versionRef(memo.contentVersion, memo.writeToken);
      const key = rowKey(ownerUid, memo.memoId, ref);
      const inline = utf8Bytes(body) + utf8Bytes(notes) <= CHUNK_MAX_BYTES;
      const chunks = inline ? { body: [], notes: [] } : { body: splitText(body), notes: splitText(notes) };
      // Chunks first: a version's row, once there, has its whole text.
      for (const zone of ["body", "notes"] as const) {
        for (const [index, text] of chunks[zone].entries()) {
          const Item = { ...rowKey(ownerUid, memo.memoId, chunkRef(ref, zone, index)), text };
          await storage("memos.putChunk", () => doc.send(new PutCommand({ TableName: tables.memos, Item })));
        }
      }
      const Item = {
        ...key,
        ...version,
        previousRef,
        ...(inline && { body, notes }),
        bodyChunks: chunks.body.length,
        notesChunks: chunks.notes.length,
      };
      // A repeat must not replace bytes that may have landed.
      return conditional("memos.putVersion", () =>
        doc.send(
          new PutCommand({
            TableName: tables.memos,
            Item,
            ConditionExpression: "attribute_not_exists(#part)",
            ExpressionAttributeNames: { "#part": MEMOS.sort },
          }),
        ),
      );
    },

    /** Moves the head from the version `base` (null: the memo never existed). False when it is not there. */
    async moveHead(head: Head, base: number | null): Promise<boolean> {
      return conditional("memos.moveHead", () =>
        doc.send(
          new PutCommand({
            TableName: tables.memos,
            Item: { ...rowKey(head.ownerUid, head.memoId, HEAD_PART), ...head },
            ...(base === null
              ? {
                  ConditionExpression: "attribute_not_exists(#part)",
                  ExpressionAttributeNames: { "#part": MEMOS.sort },
                }
              : {
                  ConditionExpression: "contentVersion = :base AND attribute_not_exists(deletedAt)",
                  ExpressionAttributeValues: { ":base": base },
                }),
          }),
        ),
      );
    },

    /** Everything of this version has been told. False when the memo has changed since: its writer tells it. */
    async markTold(head: Head): Promise<boolean> {
      return conditional("memos.markTold", () =>
        doc.send(
          new UpdateCommand({
            TableName: tables.memos,
            Key: rowKey(head.ownerUid, head.memoId, HEAD_PART),
            ...updateExpressions({
              name: "told",
              remove: UNTOLD,
              when: [
                { path: "contentVersion", is: "=", value: head.contentVersion },
                { path: "writeToken", is: "=", value: head.writeToken },
              ],
            }),
          }),
        ),
      );
    },

    /** Memos with something to tell, longest untold first. A hint: the head says what. */
    async untoldMemos(limit: number): Promise<{ ownerUid: string; memoId: string }[]> {
      const { Items = [] } = await storage("memos.untold", () =>
        doc.send(
          new QueryCommand({
            TableName: tables.memos,
            IndexName: MEMOS.untold.index,
            KeyConditionExpression: "#shard = :shard",
            ExpressionAttributeNames: { "#shard": MEMOS.untold.key },
            ExpressionAttributeValues: { ":shard": SHARD },
            Limit: limit,
          }),
        ),
      );
      return Items.map((row) => String(row[MEMOS.key])).map((key) => ({
        ownerUid: key.slice(0, key.lastIndexOf("#")),
        memoId: key.slice(key.lastIndexOf("#") + 1),
      }));
    },

    /** The versions that led to this head, newest first, down to `fromVersion`; orphans are left out. */
    async chain(head: Head, fromVersion: number): Promise<ChainLink[]> {
      if (head.bodyRef < versionFloor(fromVersion)) return [];
      const rows = await queryAll("memos.chain", {
        TableName: tables.memos,
        ConsistentRead: true,
        ScanIndexForward: false,
        KeyConditionExpression: "#key = :key AND #part BETWEEN :from AND :to",
        ExpressionAttributeNames: { "#key": MEMOS.key, "#part": MEMOS.sort },
        ExpressionAttributeValues: {
          ":key": memoKey(head.ownerUid, head.memoId),
          ":from": versionFloor(fromVersion),
          ":to": head.bodyRef,
        },
        ProjectionExpression: "#part, previousRef, contentVersion, contentHash, writeToken",
      });
      const links: ChainLink[] = [];
      let next: string | null = head.bodyRef;
      for (const link of z.array(ChainLink).parse(rows)) {
        if (link.part !== next) continue;
        links.push(link);
        next = link.previousRef;
      }
      return links;
    },

    /** How many changes the owner's library has seen, read consistently; 0 before the first. */
    async libraryVersion(ownerUid: string): Promise<number> {
      const { Item } = await storage("memos.libraryVersion", () =>
        doc.send(
          new GetCommand({ TableName: tables.control, Key: libraryKey(ownerUid), ConsistentRead: true }),
        ),
      );
      return Item ? LibraryRow.parse(Item).libraryVersion : 0;
    },

    /** Announces a change and gives its number. A retry may skip numbers; readers tolerate gaps. */
    async bumpLibraryVersion(ownerUid: string): Promise<number> {
      const { Attributes } = await storage("memos.bumpLibraryVersion", () =>
        doc.send(
          new UpdateCommand({
            TableName: tables.control,
            Key: libraryKey(ownerUid),
            UpdateExpression: "ADD libraryVersion :one",
            ExpressionAttributeValues: { ":one": 1 },
            ReturnValues: "UPDATED_NEW",
          }),
        ),
      );
      return LibraryRow.parse(Attributes).libraryVersion;
    },

    /** Memos whose last change has at least this number, oldest change first. The index lags. */
    async changes(ownerUid: string, fromSeq: number): Promise<Change[]> {
      const rows = await queryAll("memos.changes", {
        TableName: tables.memos,
        IndexName: MEMOS.byOwner.index,
        KeyConditionExpression: "#owner = :owner AND #seq >= :from",
        ExpressionAttributeNames: { "#owner": MEMOS.byOwner.key, "#seq": MEMOS.byOwner.sort },
        ExpressionAttributeValues: { ":owner": ownerUid, ":from": fromSeq },
      });
      return rows.map(changeOf);
    },
  };
}

/** The index has the memo's id only inside the table's key. */
function changeOf(row: unknown): Change {
  const { [MEMOS.key]: key } = z.object({ [MEMOS.key]: z.string() }).parse(row);
  return Change.parse({ ...(row as object), memoId: key?.slice(key.lastIndexOf("#") + 1) });
}

export type MemoStore = ReturnType<typeof createMemoStore>;
