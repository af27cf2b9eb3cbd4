import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { BatchGetCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { CHUNK_MAX_BYTES, splitText } from "../core/chunks.ts";
import { sha256, utf8Bytes } from "../core/bytes.ts";
import { conditionExpressions, updateExpressions, type ConditionalWrite } from "../core/conditional-write.ts";
import { AppError } from "../core/errors.ts";
import { RUNS, SHARD } from "../core/keys.ts";
import { conditional, isConditionFailed, storage } from "../core/storage-error.ts";
import { HEAD, chunkPart } from "./parts.ts";
import type { Run } from "./run.ts";

/** A row beside the head: its fields, and one text that may be too long for one row. */
export type PartRow = { part: string; text: string; [field: string]: unknown };

type Page = { runIds: string[]; next: Record<string, unknown> | undefined };

/** Runs in DynamoDB: the head is changed by the writes of `writes.ts` alone; other rows are put once. */
export function createRunStore(doc: DynamoDBDocumentClient, tableName: string) {
  const keyOf = (runId: string, part: string) => ({ [RUNS.key]: runId, [RUNS.sort]: part });

  async function pageOf(
    index: { index: string; key: string },
    value: string,
    options: {
      limit: number;
      newestFirst?: boolean;
      start?: Record<string, unknown> | undefined;
    },
  ): Promise<Page> {
    const page = await storage(`runs.${index.index}`, () =>
      doc.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: index.index,
          KeyConditionExpression: "#key = :key",
          ExpressionAttributeNames: { "#key": index.key },
          ExpressionAttributeValues: { ":key": value },
          ScanIndexForward: !options.newestFirst,
          Limit: options.limit,
          ExclusiveStartKey: options.start,
        }),
      ),
    );
    return { runIds: (page.Items ?? []).map((row) => String(row[RUNS.key])), next: page.LastEvaluatedKey };
  }

  async function readRow(runId: string, part: string): Promise<Record<string, unknown> | undefined> {
    const { Item } = await storage("runs.readRow", () =>
      doc.send(new GetCommand({ TableName: tableName, Key: keyOf(runId, part), ConsistentRead: true })),
    );
    return Item;
  }

  /** Puts the pieces back together: a text that did not fit its row stands in rows of its own. */
  async function whole(runId: string, row: Record<string, unknown>): Promise<PartRow> {
    const part = String(row["part"]);
    const { chunks, textSha, ...fields } = row;
    if (typeof chunks !== "number" || typeof textSha !== "string") return { text: "", ...row, part };
    const pieces = await Promise.all(
      Array.from({ length: chunks }, (_, index) => readRow(runId, chunkPart(part, textSha, index))),
    );
    const text = pieces.map((piece) => String(piece?.["text"] ?? "")).join("");
    if (sha256(text) !== textSha) {
      throw new AppError("storage_unavailable", `a piece of ${part} is missing`, {
        operation: "runs.readPart",
        requestId: undefined,
      });
    }
    return { ...fields, part, text };
  }

  return {
    /** The head as it stands, read consistently. */
    async readHead(runId: string): Promise<Run | undefined> {
      return (await readRow(runId, HEAD)) as Run | undefined;
    },

    /** Heads of many runs, in the order asked; those that do not exist are left out. A list, never a decision. */
    async readHeads(runIds: readonly string[]): Promise<Run[]> {
      const found = new Map<string, Run>();
      // BatchGetItem takes at most 100 keys: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
      for (let start = 0; start < runIds.length; start += 100) {
        let keys = [...new Set(runIds.slice(start, start + 100))].map((runId) => keyOf(runId, HEAD));
        for (let attempt = 0; keys.length > 0 && attempt < 5; attempt++) {
          const answer = await storage("runs.readHeads", () =>
            doc.send(new BatchGetCommand({ RequestItems: { [tableName]: { Keys: keys } } })),
          );
          for (const row of answer.Responses?.[tableName] ?? []) found.set(String(row[RUNS.key]), row as Run);
          keys = (answer.UnprocessedKeys?.[tableName]?.Keys ?? []) as typeof keys;
        }
      }
      return runIds.map((runId) => found.get(runId)).filter((run) => run !== undefined);
    },

    /** P2: false when the run already has a head. */
    putHead(head: Run): Promise<boolean> {
      const when = conditionExpressions([{ path: RUNS.key, is: "absent" }]);
      return conditional("runs.P2 head", () =>
        doc.send(new PutCommand({ TableName: tableName, Item: { ...head, [RUNS.sort]: HEAD }, ...when })),
      );
    },

    /** The head after the write; undefined when its condition does not hold. */
    async writeHead(runId: string, write: ConditionalWrite): Promise<Run | undefined> {
      // Without it an update would make a head where none was.
      const exists = { ...write, when: [{ path: RUNS.key, is: "exists" } as const, ...write.when] };
      try {
        const { Attributes } = await storage(`runs.${write.name}`, () =>
          doc.send(
            new UpdateCommand({
              TableName: tableName,
              Key: keyOf(runId, HEAD),
              ...updateExpressions(exists),
              ReturnValues: "ALL_NEW",
            }),
          ),
        );
        return Attributes as Run;
      } catch (error) {
        if (isConditionFailed(error)) return undefined;
        throw error;
      }
    },

    /** Puts a row once; the row that is there when one was. Long texts go into pieces, before the row that names them. */
    async putPart(runId: string, row: PartRow): Promise<{ put: boolean; row: PartRow }> {
      let item: Record<string, unknown> = { ...row };
      if (utf8Bytes(row.text) > CHUNK_MAX_BYTES) {
        const pieces = splitText(row.text);
        // Pieces are named by the text: two runners that put one row never mix theirs.
        const textSha = sha256(row.text);
        await Promise.all(
          pieces.map((text, index) =>
            storage("runs.putChunk", () =>
              doc.send(
                new PutCommand({
                  TableName: tableName,
                  Item: { ...keyOf(runId, chunkPart(row.part, textSha, index)), text },
                }),
              ),
            ),
          ),
        );
        const { text: _text, ...fields } = row;
        item = { ...fields, chunks: pieces.length, textSha };
      }
      const when = conditionExpressions([{ path: RUNS.key, is: "absent" }]);
      const put = await conditional("runs.putPart", () =>
        doc.send(
          new PutCommand({ TableName: tableName, Item: { ...item, ...keyOf(runId, row.part) }, ...when }),
        ),
      );
      if (put) return { put, row };
      const known = await readRow(runId, row.part);
      return { put, row: known ? await whole(runId, known) : row };
    },

    /** A row with its whole text, read consistently. */
    async readPart(runId: string, part: string): Promise<PartRow | undefined> {
      const row = await readRow(runId, part);
      return row && whole(runId, row);
    },

    /** Every row whose name starts so, with whole texts, in the order of their names. */
    async readParts(runId: string, prefix: string): Promise<PartRow[]> {
      const rows: Record<string, unknown>[] = [];
      let start: Record<string, unknown> | undefined;
      do {
        const page = await storage("runs.readParts", () =>
          doc.send(
            new QueryCommand({
              TableName: tableName,
              KeyConditionExpression: "#run = :run AND begins_with(#part, :prefix)",
              ExpressionAttributeNames: { "#run": RUNS.key, "#part": RUNS.sort },
              ExpressionAttributeValues: { ":run": runId, ":prefix": prefix },
              ConsistentRead: true,
              ExclusiveStartKey: start,
            }),
          ),
        );
        rows.push(...(page.Items ?? []));
        start = page.LastEvaluatedKey;
      } while (start);
      return Promise.all(rows.map((row) => whole(runId, row)));
    },

    /** Runs that are running or decided, oldest entry first. A hint: the head decides. */
    activeRuns: (limit: number, start?: Record<string, unknown>) =>
      pageOf(RUNS.active, SHARD, { limit, start }),

    /** Runs with an open hold of one owner, oldest first. */
    inbox: (ownerUid: string, limit: number, start?: Record<string, unknown>) =>
      pageOf(RUNS.inbox, ownerUid, { limit, start }),

    /** Runs with an open hold, that whose deadline comes next first. A hint: the head says when it is. */
    holdsByDeadline: (limit: number) => pageOf(RUNS.deadline, SHARD, { limit }),

    /** Runs of one owner, newest first. */
    runsOfOwner: (ownerUid: string, limit: number, start?: Record<string, unknown>) =>
      pageOf(RUNS.byOwner, ownerUid, { limit, newestFirst: true, start }),

    /** Runs that a session asked for, newest first. */
    runsOfSession: (sessionId: string, limit: number, start?: Record<string, unknown>) =>
      pageOf(RUNS.bySession, sessionId, { limit, newestFirst: true, start }),
  };
}
export type RunStore = ReturnType<typeof createRunStore>;
