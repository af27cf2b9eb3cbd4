import * as z from "zod";
import { digestOf } from "../../core/ids.ts";
import type { RegisteredTool } from "../../core/registered.ts";
import { askOnce, saidSince } from "../../sessions/ask.ts";
import { parseStewardReply } from "../rules/ask.ts";
import { ownedSession } from "./owned-session.ts";
import type { StewardPorts } from "./ports.ts";
import { toolInput } from "./tool-input.ts";

/** As long as an answer is waited for, and how often it is looked for. */
const WAIT_MS = 180_000;
const AGAIN_SEC = 45;

const QUESTION =
  "Is the work of this session done? Begin a line of your next turn with STEWARD: DONE or STEWARD: NOT-DONE, " +
  "and say in a few words why. Nothing else is asked of you.";

const Input = z.object({
  sessionId: z.string().max(300),
  text: z.string().min(1).max(2000).default(QUESTION),
});

/**
 * Puts one question into a session's mailbox and waits a while for a turn that answers it. Gives what the session
 * declared, and null when it did not: a line that stood there before the question is no answer.
 */
export function sessionAskTool(ports: Pick<StewardPorts, "sessions" | "clock">): RegisteredTool {
  return {
    name: "session_ask",
    async call({ ownerUid, runId, itemPlace }, input) {
      const { sessionId: wanted, text } = toolInput("session_ask", Input, input);
      const { heartbeat, ...session } = await ownedSession(ports, ownerUid, wanted);
      const { sessionId } = session;
      const token = digestOf(["session ask", runId, itemPlace, sessionId]);
      if (session.status === "ended") return { value: { sessionId, declared: null, ended: true } };
      const ask = await askOnce(ports, { sessionId, token, text, from: "steward", heartbeat });
      const { askedAt } = ask;
      const reply = saidSince(ask, heartbeat)
        .map(parseStewardReply)
        .findLast((said) => said !== null);
      if (reply) return { value: { sessionId, askedAt, ...reply } };
      if (ports.clock.now() - askedAt < WAIT_MS) return { againAfterSec: AGAIN_SEC };
      return { value: { sessionId, askedAt, declared: null } };
    },
  };
}
