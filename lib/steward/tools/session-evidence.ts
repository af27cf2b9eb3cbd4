import * as z from "zod";
import type { RegisteredTool } from "../../core/registered.ts";
import { keptSince } from "../../sessions/mailbox.ts";
import type { ListedSession } from "../../sessions/store.ts";
import { evidenceOf, type SessionEvidence } from "../evidence-of.ts";
import { requestsAsCalls, toldCalls, type ToolRecord } from "../tool-records.ts";
import { ownedSession } from "./owned-session.ts";
import type { StewardPorts } from "./ports.ts";
import { toolInput } from "./tool-input.ts";

const MAX_RECORDS = 120;
const Evidence = z.object({ sessionId: z.string().max(300) });
const Calls = Evidence.extend({ lastN: z.int().min(1).max(MAX_RECORDS).default(60) });

/** What is known of one session, for a judge. */
export function sessionEvidenceTool(ports: Pick<StewardPorts, "sessions">): RegisteredTool {
  return {
    name: "session_evidence",
    async call({ ownerUid, runStartedAt: nowMs }, input) {
      const { sessionId } = toolInput("session_evidence", Evidence, input);
      return { value: await gatherEvidence(ports, { ownerUid, nowMs }, sessionId) };
    },
  };
}

/** All that is known of one session and may be shown to a judge. @throws {AppError} session_not_found */
export async function gatherEvidence(
  ports: Pick<StewardPorts, "sessions">,
  { ownerUid, nowMs }: { ownerUid: string; nowMs: number },
  sessionId: string,
): Promise<SessionEvidence> {
  const session = await ownedSession(ports, ownerUid, sessionId);
  const children = await ports.sessions.children(ownerUid, session.sessionId);
  const liveChildren = children.filter(({ status }) => status === "live").length;
  const calls = await callsOf(ports, session, { nowMs, limit: MAX_RECORDS });
  return evidenceOf(session, { nowMs, liveChildren, calls });
}

/** The newest calls of one session, oldest first. */
export function toolCallsTool(ports: Pick<StewardPorts, "sessions">): RegisteredTool {
  return {
    name: "tool_calls_list",
    async call({ ownerUid, runStartedAt: nowMs }, input) {
      const { sessionId, lastN } = toolInput("tool_calls_list", Calls, input);
      const session = await ownedSession(ports, ownerUid, sessionId);
      const items = await callsOf(ports, session, { nowMs, limit: lastN });
      return { value: { sessionId, items, nextCursor: null } };
    },
  };
}

/** What its agent told, or else the requests that it made here. */
async function callsOf(
  { sessions }: Pick<StewardPorts, "sessions">,
  session: ListedSession,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<ToolRecord[]> {
  const told = toldCalls(session.heartbeat);
  if (told.length > 0) return told.slice(-limit);
  const page = { notBefore: keptSince(nowMs), before: null, limit };
  return requestsAsCalls(await sessions.activities(session.sessionId, page));
}
