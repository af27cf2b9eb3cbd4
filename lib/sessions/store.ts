import { GetCommand, PutCommand, UpdateCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { updateExpressions, type ConditionalWrite } from "../core/conditional-write.ts";
import { padded, SESSIONS, TTL_ATTRIBUTE } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import { ACTIVITY_KEPT_SEC, activeBucketOf, Session, type Activity, type SessionId } from "./session.ts";
import { countedOf, type TrackedSession } from "./track.ts";

const SESSION_PART = "SESSION";
const ACTIVITY_PREFIX = "ACT#";

const keyOf = (sessionId: SessionId, part: string) => ({ [SESSIONS.key]: sessionId, [SESSIONS.sort]: part });

/** The Sessions table: one row for each session, beside it its activity, heartbeat and mail. */
export function createSessionStore(doc: DynamoDBDocumentClient, tables: { sessions: string }) {
  const TableName = tables.sessions;

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
      const { Item } = await storage("read session", () =>
        doc.send(new GetCommand({ TableName, Key: keyOf(sessionId, SESSION_PART), ConsistentRead: true })),
      );
      return Item && { session: sessionOf(Item), counted: countedOf(Item) };
    },

    /** Safe to repeat: the same request at the same time is the same row. */
    async recordActivity(sessionId: SessionId, activity: Activity): Promise<void> {
      await storage("record activity", () =>
        doc.send(
          new PutCommand({
            TableName,
            Item: {
              ...keyOf(sessionId, `${ACTIVITY_PREFIX}${padded(activity.at)}#${activity.requestId}`),
              ...activity,
              [TTL_ATTRIBUTE]: Math.floor(activity.at / 1000) + ACTIVITY_KEPT_SEC,
            },
          }),
        ),
      );
    },

    /** False when the write's condition was false; the caller then reads again. */
    async countRequest(sessionId: SessionId, write: ConditionalWrite): Promise<boolean> {
      return conditional(write.name, () =>
        doc.send(
          new UpdateCommand({ TableName, Key: keyOf(sessionId, SESSION_PART), ...updateExpressions(write) }),
        ),
      );
    },
  };
}
export type SessionStore = ReturnType<typeof createSessionStore>;

const sessionOf = (item: Record<string, unknown>): Session =>
  Session.parse({ ...item, parentSessionId: item["parentSessionId"] ?? null });
