import * as z from "zod";
import { padded } from "../core/keys.ts";
import { ACTIVITY_KEPT_SEC, type SessionId } from "./session.ts";
import type { SessionStore } from "./store.ts";

/** A heartbeat's answer carries at most this many; the rest follow once these are reported as received. */
const MAILBOX_PAGE = 20;

/** When it was sent and the sender's token: sorts by time, and the same message sent twice is one. */
export const MessageId = z.string().regex(/^\d{15}-[A-Za-z0-9._-]{1,120}$/);

/** A word to the agent of a session. */
export const Message = z.object({
  messageId: MessageId,
  kind: z.enum(["nudge", "question", "close_request"]),
  text: z.string().max(2000),
  sentAt: z.int(),
  /** Principal id of who sent it. */
  from: z.string(),
});
export type Message = z.infer<typeof Message>;

/**
 * Puts a message into a session's mailbox. Safe to repeat with the same token and time. It stays until the
 * agent reports it as received, for at most 30 days.
 */
export async function sendMessage(
  deps: { sessions: Pick<SessionStore, "putMessage"> },
  message: {
    sessionId: SessionId;
    token: string;
    kind: Message["kind"];
    text: string;
    sentAt: number;
    from: string;
  },
): Promise<Message> {
  const { sessionId, token, ...rest } = message;
  const sent = Message.parse({ ...rest, messageId: `${padded(rest.sentAt)}-${token}` });
  await deps.sessions.putMessage(sessionId, sent);
  return sent;
}

/** The messages that wait, oldest first. */
export async function readMailbox(
  deps: { sessions: Pick<SessionStore, "messages"> },
  sessionId: SessionId,
  at: number,
): Promise<Message[]> {
  return deps.sessions.messages(sessionId, { notBefore: keptSince(at), limit: MAILBOX_PAGE });
}

/** First ms whose rows have not expired at `at`: the engine removes expired rows late, or never. */
export const keptSince = (at: number): number =>
  Math.max(0, Math.floor(at / 1000) - ACTIVITY_KEPT_SEC + 1) * 1000;
