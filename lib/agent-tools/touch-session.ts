import * as z from "zod";
import { ownSession } from "../sessions/create.ts";
import { agentTool } from "./agent-tool.ts";

/** Tells which session the calls belong to, and begins one for a purpose. */
export const touchSession = agentTool({
  name: "touch_session",
  description:
    "Begins a session for a purpose, or notes something in one. Send its id as session with other calls.",
  scope: "sessions:write",
  writes: true,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    session: z.string().max(200).optional(),
    purpose: z.string().min(1).max(500).optional(),
    note: z.string().max(200).optional(),
  }),
  output: z.looseObject({ session: z.string(), requests: z.int() }),
  label: ({ note, purpose }) => note ?? purpose ?? "",
  async call(deps, { principal, sessionId }, { purpose }) {
    const session = await ownSession(deps, principal.ownerUid, sessionId);
    return {
      says: `Session ${session.sessionId}${purpose ? ` for "${session.purpose}"` : ""}.`,
      // This call is counted once it is over.
      value: { session: session.sessionId, requests: session.requestCount + 1, purpose: session.purpose },
    };
  },
});
