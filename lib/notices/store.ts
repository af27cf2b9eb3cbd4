import {
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
  type DynamoDBDocumentClient,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { conditionExpressions, updateExpressions } from "../core/conditional-write.ts";
import { DAY_MS } from "../core/duration.ts";
import { CONTROL, TTL_ATTRIBUTE } from "../core/keys.ts";
import { conditional, isConditionFailed, storage } from "../core/storage-error.ts";
import { noticePlace, type Notice } from "./notice.ts";

/** How long a notice is kept. */
const KEPT_MS = 90 * DAY_MS;

/** Rows read for one page of those that are unread or read: bounds what one request costs. */
const MAX_ROWS = 500;

/** Where the list goes on: before this notice. */
export const NoticePlace = z.strictObject({ noticeId: z.string().regex(/^notice_\d{15}-[0-9a-f]{30}$/) });
export type NoticePlace = z.infer<typeof NoticePlace>;

export const NOTICE_STATES = ["unread", "read", "all"] as const;
export type NoticeState = (typeof NOTICE_STATES)[number];

/** Notices of an owner, newest first. */
export function createNoticeStore(doc: DynamoDBDocumentClient, tables: { control: string }) {
  const TableName = tables.control;
  const partitionOf = (ownerUid: string) => `notice#${ownerUid}`;
  const keyOf = (ownerUid: string, noticeId: string) => ({
    [CONTROL.key]: partitionOf(ownerUid),
    [CONTROL.sort]: noticeId,
  });

  async function rows(ownerUid: string, limit: number, before: string | undefined) {
    const { Items = [], LastEvaluatedKey } = await storage("notices.list", () =>
      doc.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "#pk = :pk",
          ExpressionAttributeNames: { "#pk": CONTROL.key },
          ExpressionAttributeValues: { ":pk": partitionOf(ownerUid) },
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: limit,
          ...(before && { ExclusiveStartKey: keyOf(ownerUid, before) }),
        }),
      ),
    );
    return { notices: Items.map(noticeOf), isEnd: !LastEvaluatedKey };
  }

  return {
    /** Tells the owner once: a notice that is there, read or not, stays as it is. */
    async put(ownerUid: string, notice: Omit<Notice, "readAt">): Promise<void> {
      const Item = {
        ...keyOf(ownerUid, notice.noticeId),
        notice,
        [TTL_ATTRIBUTE]: Math.ceil((notice.at + KEPT_MS) / 1000),
      };
      const when = conditionExpressions([{ path: CONTROL.key, is: "absent" }]);
      await conditional("notices.put", () => doc.send(new PutCommand({ TableName, Item, ...when })));
    },

    /** A page in one state. It may hold fewer than its limit and still go on: what it may cost is bounded. */
    async list(
      ownerUid: string,
      { state, limit, after }: { state: NoticeState; limit: number; after: NoticePlace | null },
    ): Promise<{ items: Notice[]; next: NoticePlace | null }> {
      const items: Notice[] = [];
      let before = after?.noticeId;
      for (let read = 0; read < MAX_ROWS;) {
        const { notices, isEnd } = await rows(ownerUid, Math.max(limit, 25), before);
        for (const [index, notice] of notices.entries()) {
          before = notice.noticeId;
          if (state !== "all" && (notice.readAt === null) !== (state === "unread")) continue;
          items.push(notice);
          const isLast = isEnd && index === notices.length - 1;
          if (items.length === limit) return { items, next: isLast ? null : { noticeId: before } };
        }
        if (isEnd) return { items, next: null };
        read += notices.length;
      }
      return { items, next: before === undefined ? null : { noticeId: before as Notice["noticeId"] } };
    },

    /** Marks a notice as read; the first time stays. Undefined when the owner has no such notice. */
    async markRead(ownerUid: string, noticeId: string, at: number): Promise<Notice | undefined> {
      const place = noticePlace(noticeId);
      if (!place) return undefined;
      const key = { TableName, Key: keyOf(ownerUid, place) };
      const { Item } = await storage("notices.get", () =>
        doc.send(new GetCommand({ ...key, ConsistentRead: true })),
      );
      // What is not there, or was read before, costs no write.
      if (!Item || Item["readAt"] !== undefined) return Item && noticeOf(Item);
      const mark = updateExpressions({
        name: "read",
        setOnce: { readAt: at },
        when: [{ path: CONTROL.key, is: "exists" }],
      });
      try {
        const { Attributes } = await storage("notices.read", () =>
          doc.send(new UpdateCommand({ ...key, ...mark, ReturnValues: "ALL_NEW" })),
        );
        return Attributes && noticeOf(Attributes);
      } catch (error) {
        if (isConditionFailed(error)) return undefined;
        throw error;
      }
    },
  };
}

const noticeOf = (row: Record<string, unknown>): Notice => ({
  ...(row["notice"] as Omit<Notice, "readAt">),
  readAt: typeof row["readAt"] === "number" ? row["readAt"] : null,
});
export type NoticeStore = ReturnType<typeof createNoticeStore>;
