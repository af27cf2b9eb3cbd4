import type { Clause, ConditionalWrite } from "../core/conditional-write.ts";
import { SESSIONS } from "../core/keys.ts";
import {
  activeBucketOf,
  touchedAt,
  type AgentState,
  type ClosingVerdict,
  type Session,
  type SessionIn,
  type WrapupFlag,
} from "./session.ts";

/** A session is in the list of live ones while it has this; rows of an earlier release get it with their next write. */
export const liveKey = (ownerUid: string) => ({ [SESSIONS.live.key]: ownerUid });

const isLive = (ownerUid: string): Clause[] => [
  { path: "ownerUid", is: "=", value: ownerUid },
  { path: "status", is: "=", value: "live" },
];

/** A row of an earlier release has no number yet. */
const seqAsRead = (stateSeq: number): Clause =>
  stateSeq > 0
    ? { path: "stateSeq", is: "=", value: stateSeq }
    : { any: [[{ path: "stateSeq", is: "absent" }], [{ path: "stateSeq", is: "=", value: 0 }]] };

const isNot = (path: string): Clause => ({
  any: [[{ path, is: "absent" }], [{ path, is: "=", value: false }]],
});

/** What the agent told of its state; as a report read the row. */
export function stateWrite(session: SessionIn<"live">, state: AgentState): ConditionalWrite {
  const { busy, awaitingInput, awaitingPermission, pendingTasks } = state;
  return {
    name: "tell state",
    set: {
      busy,
      awaitingInput,
      awaitingPermission,
      pendingTasks,
      stateSeq: session.stateSeq + 1,
      ...liveKey(session.ownerUid),
    },
    when: [...isLive(session.ownerUid), seqAsRead(session.stateSeq)],
  };
}

/** The end as somebody asked for it. */
export function endWrite(session: SessionIn<"ended">): ConditionalWrite {
  return {
    name: "end session",
    set: endedFields(session),
    remove: [SESSIONS.live.key],
    when: isLive(session.ownerUid),
  };
}

/** The list by owner has what ended lately beside what is at work. */
function endedFields(session: SessionIn<"ended">): Record<string, unknown> {
  const { status, endedAt, endedBy, outcome } = session;
  return { status, endedAt, endedBy, outcome, activeBucketAt: activeBucketOf(touchedAt(session)) };
}

/** Nothing has happened in the session since it was read, and its agent neither works nor waits for anybody. */
const quietAsRead = (session: Session): Clause[] => [
  ...isLive(session.ownerUid),
  isNot("busy"),
  isNot("awaitingInput"),
  isNot("awaitingPermission"),
  { any: [[{ path: "pendingTasks", is: "absent" }], [{ path: "pendingTasks", is: "=", value: 0 }]] },
  seqAsRead(session.stateSeq),
  { path: "requestCount", is: "=", value: session.requestCount },
  { path: "lastActiveAt", is: "=", value: session.lastActiveAt },
];

/** The end by a steward's verdict: never of a person's session, and only of one in which nothing has happened since. */
export function closeWrite(
  session: SessionIn<"live">,
  closed: SessionIn<"ended"> & { verdict: ClosingVerdict },
): ConditionalWrite {
  return {
    name: "close session",
    set: { ...endedFields(closed), verdict: closed.verdict },
    remove: [SESSIONS.live.key],
    when: [...quietAsRead(session), { path: "originClass", is: "<>", value: "human" }],
  };
}

/** A flag for people; the session goes on. A later one takes the place of an earlier. */
export function flagWrite(session: SessionIn<"live">, wrapupFlag: WrapupFlag): ConditionalWrite {
  return { name: "flag session", set: { wrapupFlag }, when: quietAsRead(session) };
}

/** Which session goes on with this one; the first that says so. */
export function continuationWrite(link: { ownerUid: string; to: string }): ConditionalWrite {
  return {
    name: "link continuation",
    setOnce: { continuedTo: link.to },
    when: [{ path: "ownerUid", is: "=", value: link.ownerUid }],
  };
}
