import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { digestOf } from "../core/ids.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { sendMessage } from "./mailbox.ts";
import type { SessionId } from "./session.ts";
import type { SessionStore } from "./store.ts";

/** One question to a session's agent, with what its agent had said when it was asked. */
export const Ask = z.object({
  token: z.string(),
  askedAt: z.int(),
  /** Of the agent's turns that were known then. */
  before: z.array(z.string()),
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
    before: turnsOf(heartbeat).map(turnDigest),
    isSent: false,
  });
  if (ask.isSent) return ask;
  // The time is that of the ask: after a crash between the two writes the same message is put again.
  await sendMessage(deps, { sessionId, token, kind: "question", text, sentAt: ask.askedAt, from });
  await deps.sessions.markAsked(sessionId, token);
  return ask;
}

/** What the agent said in turns that were not known when it was asked, oldest first. */
export function saidSince(ask: Ask, heartbeat: Heartbeat | null | undefined): string[] {
  const before = new Set(ask.before);
  return turnsOf(heartbeat)
    .filter((turn) => !before.has(turnDigest(turn)))
    .map(({ text }) => text);
}

type Turn = NonNullable<Heartbeat["turns"]>[number];

const turnsOf = (heartbeat: Heartbeat | null | undefined): Turn[] =>
  (heartbeat?.turns ?? []).filter(({ role }) => role === "assistant");

const turnDigest = ({ text, at }: Turn): string => digestOf([text, at ?? ""]);
