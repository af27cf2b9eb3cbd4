import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Principal } from "../core/principal.ts";
import { ownSession } from "./create.ts";
import { endedWords } from "./ended-words.ts";
import { mergeHeartbeat, type Heartbeat, type HeartbeatReport } from "./heartbeat.ts";
import { readMailbox, type Message } from "./mailbox.ts";
import { hasProgressed, isSameState, stateOf } from "./progress.ts";
import type { Session, SessionId, SessionIn } from "./session.ts";
import { stateWrite } from "./writes.ts";
import type { SessionStore } from "./store.ts";

/** Reports of one agent do not race each other for long; more than this means that the store is unwell. */
const MAX_TRIES = 5;

type Reporting = { sessions: SessionStore; clock: Clock };

/**
 * Merges a report into what is known of the session's agent, and gives the messages that wait for it. A repeated
 * or a late report lowers nothing.
 * @throws {AppError} session_not_found, session_ended
 */
export async function reportHeartbeat(
  deps: Reporting,
  input: { principal: Principal; sessionId: string; report: HeartbeatReport },
): Promise<{ sessionId: SessionId; heartbeat: Heartbeat; mailbox: Message[] }> {
  const { ownerUid } = input.principal;
  const at = deps.clock.now();
  const session = liveOrThrow(await ownSession(deps, ownerUid, input.sessionId));
  const { sessionId } = session;
  const heartbeat = await writeHeartbeat(deps, session, input.report, at);
  for (const messageId of input.report.received ?? []) await deps.sessions.dropMessage(sessionId, messageId);
  return { sessionId, heartbeat, mailbox: await readMailbox(deps, sessionId, at) };
}

/** The session, when it still lives. @throws {AppError} session_ended */
export function liveOrThrow(session: Session): SessionIn<"live"> {
  if (session.status === "live") return session;
  const { sessionId, endedAt, outcome, verdict } = session;
  throw new AppError("session_ended", endedWords(session), {
    sessionId,
    endedAt,
    outcome,
    ...(verdict && { verdict: verdict.verdict, judgedBy: verdict.judgedBy }),
  });
}

/**
 * The session's row first, where the state changed or a quiet agent got on with its work: whoever ends a session
 * does it on that row as it read it. Most reports change neither and are one write.
 */
async function writeHeartbeat(
  deps: Reporting,
  session: SessionIn<"live">,
  report: HeartbeatReport,
  at: number,
): Promise<Heartbeat> {
  const { sessionId } = session;
  let current = session;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (tries > 0) current = liveOrThrow(await ownSession(deps, session.ownerUid, sessionId));
    const stored = await deps.sessions.readHeartbeat(sessionId);
    const merged = mergeHeartbeat(stored, report, at);
    const state = stateOf(merged);
    // The first report too: until then its agent counts as one that never started.
    const worked = !stored || (!state.busy && hasProgressed(stored, merged));
    if (worked || !isSameState(state, current)) {
      if (!(await deps.sessions.writeSession(sessionId, stateWrite(current, state)))) continue;
    }
    if (await deps.sessions.putHeartbeat(sessionId, merged)) return merged;
  }
  throw new AppError("storage_unavailable", `the heartbeat of ${sessionId} met ${MAX_TRIES} others`, {
    operation: "put heartbeat",
    requestId: undefined,
  });
}
