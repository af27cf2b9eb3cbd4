import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Ids } from "../core/ids.ts";
import type { Principal } from "../core/principal.ts";
import { callerOf, QUIET, type Session, type SessionIn } from "./session.ts";
import type { SessionStore } from "./store.ts";
import { findTracked } from "./track.ts";
import { continuationWrite } from "./writes.ts";

/** What a client says of a new session. */
export const NewSession = z.strictObject({
  name: z.string().min(1).max(120),
  purpose: z.string().min(1).max(500),
  origin: z.string().min(1).max(120).optional(),
  parentSessionId: z.string().min(1).max(200).optional(),
  keepAlive: z.boolean().optional(),
  /** A session of the same owner whose work this one goes on with; an ended one is not begun again. */
  continuedFrom: z.string().min(1).max(200).optional(),
});
export type NewSession = z.infer<typeof NewSession>;

/**
 * Opens a session of the credential's owner.
 * @throws {AppError} session_not_found when the parent, or the session that it continues, is not this owner's
 */
export async function createSession(
  deps: { sessions: SessionStore; clock: Clock; ids: Ids },
  input: NewSession & { principal: Principal },
): Promise<SessionIn<"live">> {
  const { principal } = input;
  const parent =
    input.parentSessionId === undefined
      ? null
      : (await ownSession(deps, principal.ownerUid, input.parentSessionId)).sessionId;
  const before =
    input.continuedFrom === undefined
      ? undefined
      : (await ownSession(deps, principal.ownerUid, input.continuedFrom)).sessionId;
  const at = deps.clock.now();
  const session: SessionIn<"live"> = {
    status: "live",
    sessionId: deps.ids("ses"),
    ownerUid: principal.ownerUid,
    name: input.name,
    purpose: input.purpose,
    origin: input.origin ?? null,
    originClass: principal.kind,
    parentSessionId: parent,
    keepAlive: input.keepAlive ?? false,
    requestCount: 0,
    createdAt: at,
    createdBy: callerOf(principal),
    lastActiveAt: at,
    lastCaller: null,
    ...QUIET,
    stateSeq: 0,
    ...(before && { continuedFrom: before }),
  };
  // The id was made a moment ago and cannot be guessed: one that is taken is our own write whose answer was lost.
  await deps.sessions.putSession(session);
  if (before) {
    const link = { ownerUid: principal.ownerUid, to: session.sessionId };
    await deps.sessions.writeSession(before, continuationWrite(link));
  }
  return session;
}

/**
 * The owner's session.
 * @throws {AppError} session_not_found, the same for an unknown id and for another owner's
 */
export async function ownSession(
  deps: { sessions: Pick<SessionStore, "readTracked"> },
  ownerUid: string,
  sessionId: string,
): Promise<Session> {
  const tracked = await findTracked(deps, ownerUid, sessionId);
  if (tracked) return tracked.session;
  throw new AppError("session_not_found", `there is no session ${sessionId.slice(0, 100)}`, { sessionId });
}
