import { AppError } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";
import type { ListedSession, SessionStore } from "../../sessions/store.ts";

/** The owner's session with what its agent told. @throws {AppError} session_not_found, also for another owner's */
export async function ownedSession(
  { sessions }: { sessions: Pick<SessionStore, "readSessions"> },
  ownerUid: string,
  sessionId: string,
): Promise<ListedSession> {
  const [session] = isId("ses", sessionId) ? await sessions.readSessions([sessionId]) : [];
  if (session?.ownerUid === ownerUid) return session;
  throw new AppError("session_not_found", `there is no session ${sessionId.slice(0, 100)}`, { sessionId });
}
