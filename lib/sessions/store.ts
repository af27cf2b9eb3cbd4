import * as z from "zod";
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
  type DynamoDBDocumentClient,
} from "@aws-sdk/lib-dynamodb";
import { updateExpressions, type ConditionalWrite } from "../core/conditional-write.ts";
import { AppError } from "../core/errors.ts";
import { padded, SESSIONS, TTL_ATTRIBUTE } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Ask } from "./ask.ts";
import { Message } from "./mailbox.ts";
import {
  Activity,
  ACTIVITY_KEPT_SEC,
  activeBucketOf,
  Session,
  touchedAt,
  type SessionId,
} from "./session.ts";
import { countedOf, type TrackedSession } from "./track.ts";
import { liveKey } from "./writes.ts";

const SESSION_PART = "SESSION";
/** Beside the session, not in it: an update is billed on the whole item, and each request updates the session. */
const HEARTBEAT_PART = "BEAT";
const ACTIVITY_PREFIX = "ACT#";
const MAIL_PREFIX = "MAIL#";
const ASK_PREFIX = "ASK#";

/** Rounds of one batch read until its rest is given up as throttled. */
const MAX_BATCH_ROUNDS = 5;

/** A batch read takes 100 keys, and a listed session is two rows. */
const LISTED_MAX = 50;

/** Where a list by owner goes on, without the owner: that comes from the credential. */
export const SessionPlace = z.strictObject({ sessionId: z.string(), activeBucketAt: z.int() });
export type SessionPlace = z.infer<typeof SessionPlace>;

export type ListedSession = Session & { heartbeat: Heartbeat | null };

const keyOf = (sessionId: string, part: string) => ({ [SESSIONS.key]: sessionId, [SESSIONS.sort]: part });

/** The Sessions table: one row for each session, beside it its activity, heartbeat and mail. */
export function createSessionStore(doc: DynamoDBDocumentClient, tables: { sessions: string }) {
  const TableName = tables.sessions;

  const read = async (operation: string, sessionId: string, part: string) => {
    const { Item } = await storage(operation, () =>
      doc.send(new GetCommand({ TableName, Key: keyOf(sessionId, part), ConsistentRead: true })),
    );
    return Item;
  };

  const update = (sessionId: string, write: ConditionalWrite): Promise<boolean> =>
    conditional(write.name, () =>
      doc.send(
        new UpdateCommand({ TableName, Key: keyOf(sessionId, SESSION_PART), ...updateExpressions(write) }),
      ),
    );

  /** Rows of one session whose sort key lies in a range; both ends are included. */
  const rowsBetween = async (
    operation: string,
    sessionId: string,
    range: { from: string; to: string; limit: number; newestFirst: boolean },
  ) => {
    const rows: Record<string, unknown>[] = [];
    let startKey: Record<string, unknown> | undefined;
    do {
      const page = await storage(operation, () =>
        doc.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: "#id = :id AND #part BETWEEN :from AND :to",
            ExpressionAttributeNames: { "#id": SESSIONS.key, "#part": SESSIONS.sort },
            ExpressionAttributeValues: { ":id": sessionId, ":from": range.from, ":to": range.to },
            ScanIndexForward: !range.newestFirst,
            Limit: range.limit - rows.length,
            ConsistentRead: true,
            ExclusiveStartKey: startKey,
          }),
        ),
      );
      rows.push(...(page.Items ?? []));
      startKey = page.LastEvaluatedKey;
    } while (startKey && rows.length < range.limit);
    return rows;
  };

  return {
    /** False when the id is taken. */
    async putSession(session: Session): Promise<boolean> {
      return conditional("put session", () =>
        doc.send(
          new PutCommand({
            TableName,
            Item: {
              ...session,
              part: SESSION_PART,
              activeBucketAt: activeBucketOf(session.lastActiveAt),
              ...(session.status === "live" && liveKey(session.ownerUid)),
              // A null key has no place in the index.
              parentSessionId: session.parentSessionId ?? undefined,
            },
            ConditionExpression: `attribute_not_exists(${SESSIONS.key})`,
          }),
        ),
      );
    },

    /** The session with the requests it lately counted, read consistently; no owner is checked. */
    async readTracked(sessionId: SessionId): Promise<TrackedSession | undefined> {
      const item = await read("read session", sessionId, SESSION_PART);
      return item && { session: sessionOf(item), counted: countedOf(item) };
    },

    /** Safe to repeat: the same request at the same time is the same row. */
    async recordActivity(sessionId: SessionId, activity: Activity): Promise<void> {
      const place = `${padded(activity.at)}#${activity.requestId}`;
      await storage("record activity", () =>
        doc.send(
          new PutCommand({
            TableName,
            Item: {
              ...keyOf(sessionId, `${ACTIVITY_PREFIX}${place}`),
              ...activity,
              [TTL_ATTRIBUTE]: Math.floor(activity.at / 1000) + ACTIVITY_KEPT_SEC,
            },
          }),
        ),
      );
    },

    /** False when the write's condition was false; the caller then reads again. */
    async countRequest(sessionId: SessionId, write: ConditionalWrite): Promise<boolean> {
      return update(sessionId, write);
    },

    /** One of the writes of `writes.ts`; false when its condition does not hold. */
    writeSession(sessionId: SessionId, write: ConditionalWrite): Promise<boolean> {
      return update(sessionId, write);
    },

    /** Sessions as they stand, in the order asked; those that do not exist are left out. */
    async readSessions(sessionIds: readonly string[]): Promise<ListedSession[]> {
      const found: ListedSession[] = [];
      for (let start = 0; start < sessionIds.length; start += LISTED_MAX) {
        found.push(...(await readListed(sessionIds.slice(start, start + LISTED_MAX))));
      }
      return found;
    },

    /**
     * The owner's sessions, latest touched first by five minutes, at most 50 a page; the index is a hint and each row
     * is read again.
     */
    async listOwned(
      ownerUid: string,
      page: { limit: number; after: SessionPlace | null },
    ): Promise<{ items: ListedSession[]; next: SessionPlace | null }> {
      const { items, next } = await listBy(SESSIONS.byOwner, ownerUid, { ...page, newestFirst: true });
      items.sort((a, b) => touchedAt(b) - touchedAt(a));
      return { items, next };
    },

    /** The owner's live sessions, longest untouched first, at most 50 a page; each is read again. */
    async liveSessions(
      ownerUid: string,
      page: { limit: number; after: SessionPlace | null },
    ): Promise<{ items: ListedSession[]; next: SessionPlace | null }> {
      const { items, next } = await listBy(SESSIONS.live, ownerUid, { ...page, newestFirst: false });
      return { items: items.filter(({ status }) => status === "live"), next };
    },

    /** Sessions whose parent this is, newest first, at most 50; the index is a hint and each row is read again. */
    async children(ownerUid: string, sessionId: SessionId): Promise<ListedSession[]> {
      const found = await query("list children", SESSIONS.byParent, sessionId, {
        limit: LISTED_MAX,
        newestFirst: true,
      });
      return (await readListed(idsOf(found.Items))).filter((session) => session.ownerUid === ownerUid);
    },

    /** Activity rows newest first; `before` is `<padded ms>#<requestId>`, itself left out. */
    async activities(
      sessionId: SessionId,
      page: { notBefore: number; before: string | null; limit: number },
    ): Promise<Activity[]> {
      const from = `${ACTIVITY_PREFIX}${padded(page.notBefore)}`;
      const to = `${ACTIVITY_PREFIX}${page.before ?? "~"}`;
      if (to < from) return [];
      const range = { from, to, limit: page.limit + 1, newestFirst: true };
      const rows = await rowsBetween("read activity", sessionId, range);
      return rows
        .filter((row) => row[SESSIONS.sort] !== to)
        .slice(0, page.limit)
        .map((row) => Activity.parse(row));
    },

    async readHeartbeat(sessionId: SessionId): Promise<Heartbeat | undefined> {
      const item = await read("read heartbeat", sessionId, HEARTBEAT_PART);
      return item && Heartbeat.parse(item);
    },

    /** False when another report was written since the one that this revision follows. */
    async putHeartbeat(sessionId: SessionId, heartbeat: Heartbeat): Promise<boolean> {
      return conditional("put heartbeat", () =>
        doc.send(
          new PutCommand({
            TableName,
            Item: { ...keyOf(sessionId, HEARTBEAT_PART), ...heartbeat },
            ConditionExpression: "attribute_not_exists(revision) OR revision = :read",
            ExpressionAttributeValues: { ":read": heartbeat.revision - 1 },
          }),
        ),
      );
    },

    /** Safe to repeat: the same message is the same row. */
    async putMessage(sessionId: SessionId, message: Message): Promise<void> {
      await storage("put message", () =>
        doc.send(
          new PutCommand({
            TableName,
            Item: {
              ...keyOf(sessionId, `${MAIL_PREFIX}${message.messageId}`),
              ...message,
              [TTL_ATTRIBUTE]: Math.floor(message.sentAt / 1000) + ACTIVITY_KEPT_SEC,
            },
          }),
        ),
      );
    },

    /** Messages oldest first. */
    async messages(sessionId: SessionId, page: { notBefore: number; limit: number }): Promise<Message[]> {
      const from = `${MAIL_PREFIX}${padded(page.notBefore)}`;
      const range = { from, to: `${MAIL_PREFIX}~`, limit: page.limit, newestFirst: false };
      return (await rowsBetween("read mailbox", sessionId, range)).map((row) => Message.parse(row));
    },

    /** Opens an ask once; the one that stands under the token. */
    async openAsk(sessionId: SessionId, ask: Ask): Promise<Ask> {
      const Key = keyOf(sessionId, `${ASK_PREFIX}${ask.token}`);
      const isNew = await conditional("open ask", () =>
        doc.send(
          new PutCommand({
            TableName,
            Item: { ...Key, ...ask, [TTL_ATTRIBUTE]: Math.floor(ask.askedAt / 1000) + ACTIVITY_KEPT_SEC },
            ConditionExpression: `attribute_not_exists(${SESSIONS.key})`,
          }),
        ),
      );
      if (isNew) return ask;
      const item = await read("read ask", sessionId, `${ASK_PREFIX}${ask.token}`);
      return item ? Ask.parse(item) : ask;
    },

    /** The question of an ask is on its way and is not sent again. */
    async markAsked(sessionId: SessionId, token: string): Promise<void> {
      await storage("mark ask", () =>
        doc.send(
          new UpdateCommand({
            TableName,
            Key: keyOf(sessionId, `${ASK_PREFIX}${token}`),
            ...updateExpressions({ name: "mark ask", set: { isSent: true }, when: [] }),
          }),
        ),
      );
    },

    /** Safe to repeat. */
    async dropMessage(sessionId: SessionId, messageId: string): Promise<void> {
      await storage("drop message", () =>
        doc.send(new DeleteCommand({ TableName, Key: keyOf(sessionId, `${MAIL_PREFIX}${messageId}`) })),
      );
    },
  };

  /** A page of an index: hints, whose rows the caller reads again. */
  function query(
    operation: string,
    index: { index: string; key: string },
    value: string,
    page: { limit: number; newestFirst: boolean; start?: Record<string, unknown> | null },
  ) {
    return storage(operation, () =>
      doc.send(
        new QueryCommand({
          TableName,
          IndexName: index.index,
          KeyConditionExpression: "#key = :key",
          ExpressionAttributeNames: { "#key": index.key },
          ExpressionAttributeValues: { ":key": value },
          ScanIndexForward: !page.newestFirst,
          Limit: page.limit,
          ...(page.start && { ExclusiveStartKey: page.start }),
        }),
      ),
    );
  }

  async function listBy(
    index: typeof SESSIONS.byOwner | typeof SESSIONS.live,
    ownerUid: string,
    { after, ...page }: { limit: number; newestFirst: boolean; after: SessionPlace | null },
  ): Promise<{ items: ListedSession[]; next: SessionPlace | null }> {
    const start = after && { ...after, [index.key]: ownerUid, part: SESSION_PART };
    const { Items, LastEvaluatedKey: last } = await query("list sessions", index, ownerUid, {
      ...page,
      start,
    });
    const items = (await readListed(idsOf(Items))).filter((session) => session.ownerUid === ownerUid);
    const next = last && { sessionId: String(last[SESSIONS.key]), activeBucketAt: Number(last[index.sort]) };
    return { items, next: next ?? null };
  }

  async function readListed(sessionIds: readonly string[]): Promise<ListedSession[]> {
    const sessions = new Map<string, Session>();
    const heartbeats = new Map<string, Heartbeat>();
    let keys = sessionIds.flatMap((id) => [keyOf(id, SESSION_PART), keyOf(id, HEARTBEAT_PART)]);
    for (let round = 0; keys.length > 0; round++) {
      if (round === MAX_BATCH_ROUNDS) {
        const details = { operation: "read sessions", requestId: undefined };
        throw new AppError("storage_throttled", `${keys.length} rows of a batch stayed unread`, details);
      }
      const answer = await storage("read sessions", () =>
        doc.send(
          new BatchGetCommand({ RequestItems: { [TableName]: { Keys: keys, ConsistentRead: true } } }),
        ),
      );
      for (const row of answer.Responses?.[TableName] ?? []) {
        const id = String(row[SESSIONS.key]);
        if (row[SESSIONS.sort] === SESSION_PART) sessions.set(id, sessionOf(row));
        else heartbeats.set(id, Heartbeat.parse(row));
      }
      keys = (answer.UnprocessedKeys?.[TableName]?.Keys ?? []) as typeof keys;
    }
    return sessionIds.flatMap((id) => {
      const session = sessions.get(id);
      return session ? [{ ...session, heartbeat: heartbeats.get(id) ?? null }] : [];
    });
  }
}
export type SessionStore = ReturnType<typeof createSessionStore>;

const idsOf = (items: readonly Record<string, unknown>[] = []): string[] =>
  items.map((item) => String(item[SESSIONS.key]));

const sessionOf = (item: Record<string, unknown>): Session =>
  Session.parse({ ...item, parentSessionId: item["parentSessionId"] ?? null });
