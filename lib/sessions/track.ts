import type { ConditionalWrite } from "../core/conditional-write.ts";
import { isId } from "../core/ids.ts";
import type { Principal } from "../core/principal.ts";
import { activeBucketOf, callerOf, isOwnedBy, type Activity, type Caller, type Session } from "./session.ts";
import type { SessionStore } from "./store.ts";
import { liveKey } from "./writes.ts";

/**
 * Request ids are remembered on the session for the minute of their request and the two after it, so that a
 * write whose answer was lost is recognised. The client gives up on a write after seconds.
 */
const COUNTED_WINDOW_MS = 60 * 1000;
const KEPT_WINDOWS = 3;
const COUNTED_PREFIX = "counted_";

/** A session with the request ids it lately counted, by window. */
export type TrackedSession = { session: Session; counted: Readonly<Record<string, ReadonlySet<string>>> };

/** What a request did, without who and when. */
export type ActivityOf = Omit<Activity, "requestId" | "at" | "caller">;

export type Stamped = "stamped" | "unknown" | "ended";

type Deps = { sessions: Pick<SessionStore, "readTracked" | "recordActivity" | "countRequest"> };

/** The session of a header, when it exists and is this owner's; anything else is no session at all. */
export async function findTracked(
  deps: { sessions: Pick<SessionStore, "readTracked"> },
  ownerUid: string,
  presented: string,
): Promise<TrackedSession | undefined> {
  if (!isId("ses", presented)) return undefined;
  const tracked = await deps.sessions.readTracked(presented);
  return isOwnedBy(tracked?.session, ownerUid) ? tracked : undefined;
}

/**
 * Records one request on its session and counts it once. Safe to repeat with the same request id and `at`.
 * Nothing is written for a session that is unknown, another owner's or ended.
 */
export async function stampSession(
  deps: Deps,
  stamp: {
    sessionId: string;
    principal: Principal;
    requestId: string;
    activity: ActivityOf;
    at: number;
    /** The request says nothing of work, such as a heartbeat by a timer: it is counted and moves no time. */
    leavesTime?: boolean;
    /** The session as the caller has just read it, to spare a read. */
    known?: TrackedSession;
  },
): Promise<Stamped> {
  const { principal, sessionId, requestId, at } = stamp;
  const tracked = stamp.known ?? (await findTracked(deps, principal.ownerUid, sessionId));
  if (!tracked || !isOwnedBy(tracked.session, principal.ownerUid)) return "unknown";
  if (tracked.session.status === "ended") return "ended";
  const caller = callerOf(principal);
  const id = tracked.session.sessionId;
  // The row first, then the count: after a crash between them the list shows a request that is not counted,
  // never a count that nothing explains.
  await deps.sessions.recordActivity(id, { ...stamp.activity, requestId, at, caller });
  const moves = !stamp.leavesTime && at >= tracked.session.lastActiveAt;
  if (await deps.sessions.countRequest(id, countWrite(tracked, { requestId, at, caller, moves }))) {
    return "stamped";
  }
  const current = await findTracked(deps, principal.ownerUid, id);
  if (!current) return "unknown";
  if (current.counted[windowOf(at)]?.has(requestId)) return "stamped";
  if (current.session.status === "ended") return "ended";
  // A later request was stamped in between: this one is counted and moves no time.
  const again = countWrite(current, { requestId, at, caller, moves: false });
  return (await deps.sessions.countRequest(id, again)) ? "stamped" : "ended";
}

/** Reads what the store remembers of counted requests out of a stored row. */
export function countedOf(row: Record<string, unknown>): TrackedSession["counted"] {
  const windows = Object.entries(row).filter(
    (entry): entry is [string, Set<string>] => entry[0].startsWith(COUNTED_PREFIX) && entry[1] instanceof Set,
  );
  return Object.fromEntries(windows);
}

function countWrite(
  tracked: TrackedSession,
  request: { requestId: string; at: number; caller: Caller; moves: boolean },
): ConditionalWrite {
  const { requestId, at, caller, moves } = request;
  const window = windowOf(at);
  const oldest = windowOf(at - KEPT_WINDOWS * COUNTED_WINDOW_MS);
  return {
    name: "count a request",
    add: { requestCount: 1, [window]: new Set([requestId]) },
    ...(moves && {
      set: {
        lastActiveAt: at,
        activeBucketAt: activeBucketOf(at),
        lastCaller: caller,
        ...liveKey(tracked.session.ownerUid),
      },
    }),
    remove: Object.keys(tracked.counted).filter((name) => name < oldest && name !== window),
    when: [
      { path: "ownerUid", is: "=", value: tracked.session.ownerUid },
      { path: "status", is: "=", value: "live" },
      { path: window, is: "lacks", value: requestId },
      ...(moves ? [{ path: "lastActiveAt", is: "<=", value: at } as const] : []),
    ],
  };
}

/** Attribute of the window; minutes have the same number of digits for the next 160 years, so names sort as times. */
const windowOf = (at: number): string => `${COUNTED_PREFIX}${Math.floor(at / COUNTED_WINDOW_MS)}`;
