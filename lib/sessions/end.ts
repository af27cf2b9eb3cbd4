import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Principal } from "../core/principal.ts";
import { ownSession } from "./create.ts";
import { callerOf, end, type SessionIn } from "./session.ts";
import type { SessionStore } from "./store.ts";
import { endWrite } from "./writes.ts";

/** What came of the session, in the words of who ends it. */
export const SessionEnd = z.strictObject({ outcome: z.string().max(2000).optional() });
export type SessionEnd = z.infer<typeof SessionEnd>;

/**
 * Ends the owner's session; one that has ended already stays as it ended. What a person opened a person ends.
 * @throws {AppError} session_not_found, people_only
 */
export async function endSession(
  deps: { sessions: SessionStore; clock: Clock },
  input: SessionEnd & { principal: Principal; sessionId: string },
): Promise<SessionIn<"ended">> {
  const { ownerUid } = input.principal;
  const session = await ownSession(deps, ownerUid, input.sessionId);
  if (session.status === "ended") return session;
  const { kind } = input.principal;
  if (session.originClass === "human" && kind !== "human") {
    throw new AppError("people_only", `a person opened session ${session.sessionId}, and a person ends it`, {
      kind,
    });
  }
  const ended = end(session, callerOf(input.principal), input.outcome ?? null, deps.clock.now());
  if (await deps.sessions.writeSession(ended.sessionId, endWrite(ended))) return ended;
  const current = await ownSession(deps, ownerUid, input.sessionId);
  if (current.status === "ended") return current;
  throw new AppError("internal", `session ${session.sessionId} is neither live nor ended`, {});
}
