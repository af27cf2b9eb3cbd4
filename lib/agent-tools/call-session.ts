import type { Clock } from "../core/clock.ts";
import { DAY_MS } from "../core/duration.ts";
import { deriveId, type Id } from "../core/ids.ts";
import type { Principal } from "../core/principal.ts";
import { createSession } from "../sessions/create.ts";
import type { SessionStore } from "../sessions/store.ts";
import { findTracked, type TrackedSession } from "../sessions/track.ts";

type Deps = { sessions: SessionStore; clock: Clock };

/** What is told of a session that nobody named. */
export const IMPLICIT_ORIGIN = "implicit";

/** Sessions of one key, day and purpose: the next one begins when somebody has ended the one before. */
const MAX_A_DAY = 50;

export type CallSession = {
  tracked: TrackedSession;
  /** Says that the call is recorded elsewhere than where the caller asked. */
  note: string | null;
};

/**
 * The session of a call: the one that is named, when it is this owner's and goes on, else the key's own of the day.
 * Naming one grants nothing.
 */
export async function sessionOfCall(
  deps: Deps,
  principal: Principal,
  named: string | undefined,
): Promise<CallSession> {
  const tracked = named && (await findTracked(deps, principal.ownerUid, named));
  if (tracked && tracked.session.status === "live") return { tracked, note: null };
  const own = await sessionOfDay(deps, principal);
  if (!named) return { tracked: own, note: null };
  const why = tracked ? "has ended" : "is unknown";
  const { sessionId } = own.session;
  return { tracked: own, note: `Session ${named.slice(0, 60)} ${why}; this is recorded in ${sessionId}.` };
}

/** The live session of a key and a UTC day, for a purpose of its own where one is said; begun when it is not there. */
export async function sessionOfDay(
  deps: Deps,
  principal: Principal,
  purpose?: string,
): Promise<TrackedSession> {
  const { ownerUid, principalId } = principal;
  const day = Math.floor(deps.clock.now() / DAY_MS);
  for (let nth = 1; nth < MAX_A_DAY; nth++) {
    const id = deriveId("ses", ownerUid, principalId, day, purpose ?? "", nth);
    const found = await findTracked(deps, ownerUid, id);
    if (found?.session.status === "ended") continue;
    return found ?? begin(deps, principal, id, purpose);
  }
  // Whoever ends fifty a day gets sessions that are not found again.
  return begin(deps, principal, deriveId("ses", ownerUid, principalId, deps.clock.now()), purpose);
}

/** Two calls may begin it at once: its id is the same, and so is what they write. */
async function begin(
  deps: Deps,
  principal: Principal,
  id: Id<"ses">,
  purpose: string | undefined,
): Promise<TrackedSession> {
  const date = new Date(deps.clock.now()).toISOString().slice(0, 10);
  const input = {
    principal,
    name: purpose === undefined ? `agent ${date}` : purpose.slice(0, 60),
    purpose: purpose ?? "Calls that named no session",
    origin: IMPLICIT_ORIGIN,
  };
  const session = await createSession({ ...deps, ids: () => id as never }, input);
  return (await findTracked(deps, principal.ownerUid, id)) ?? { session, counted: {} };
}
