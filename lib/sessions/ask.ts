import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { digestOf } from "../core/ids.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { sendMessage } from "./mailbox.ts";
import type { SessionId } from "./session.ts";
import type { SessionStore } from "./store.ts";

/** One question to a session's agent, with what its newest turn was when it was asked. */
export const Ask = z.object({
  token: z.string(),
  askedAt: z.int(),
  /** Of the newest turn of the agent at that time; null when it had told none. */
  lastTurn: z.string().nullable(),
  isSent: z.boolean(),
});
export type Ask = z.infer<typeof Ask>;

/**
 * Puts one question into a session's mailbox, however often it is called with the same token: also when the agent
 * has read it since. Gives the ask as it was first opened.
 */
export async function askOnce(
  deps: { sessions: Pick<SessionStore, "openAsk" | "markAsked" | "putMessage">; clock: Clock },
  input: {
    sessionId: SessionId;
    token: string;
    text: string;
    from: string;
    heartbeat: Heartbeat | null | undefined;
  },
): Promise<Ask> {
  const { sessionId, token, text, from, heartbeat } = input;
  const ask = await deps.sessions.openAsk(sessionId, {
    token,
    askedAt: deps.clock.now(),
    lastTurn: turnDigest(newestTurn(heartbeat)),
    isSent: false,
  });
  if (ask.isSent) return ask;
  // The time is that of the ask: after a crash between the two writes the same message is put again.
  await sendMessage(deps, { sessionId, token, kind: "question", text, sentAt: ask.askedAt, from });
  await deps.sessions.markAsked(sessionId, token);
  return ask;
}

/** What the agent said in a turn of its own after it was asked; undefined while its newest turn is still that of before. */
export function saidSince(ask: Ask, heartbeat: Heartbeat | null | undefined): string | undefined {
  const newest = newestTurn(heartbeat);
  return newest && turnDigest(newest) !== ask.lastTurn ? newest.text : undefined;
}

type Turn = NonNullable<Heartbeat["turns"]>[number];

const newestTurn = (heartbeat: Heartbeat | null | undefined): Turn | undefined =>
  heartbeat?.turns?.findLast(({ role }) => role === "assistant");

const turnDigest = (turn: Turn | undefined): string | null =>
  turn ? digestOf([turn.text, turn.at ?? ""]) : null;
