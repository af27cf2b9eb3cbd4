import * as z from "zod";
import type { Id } from "../core/ids.ts";
import { requesterOf, type Principal } from "../core/principal.ts";

/** The header that names a session, in any case. Tracking, not authentication: it never grants anything. */
export const SESSION_HEADER = "x-mythos-session";

/** Width of the sort key of the list by owner: a stamp inside the same five minutes leaves the index alone. */
export const ACTIVE_BUCKET_MS = 5 * 60 * 1000;

/** Activity and messages are kept for 30 days. */
export const ACTIVITY_KEPT_SEC = 30 * 24 * 60 * 60;

const PrincipalKind = z.enum(["agent", "human", "chat", "schedule", "loop"]);
const SessionId = z.templateLiteral(["ses_", z.string()]);

/** Who made a request: as the credential said, with the key. */
export const Caller = z.object({
  principalId: z.string(),
  kind: PrincipalKind,
  uid: z.string(),
  username: z.string(),
  keyId: z.string().nullable(),
});
export type Caller = z.infer<typeof Caller>;

export const callerOf = (principal: Principal): Caller => ({
  ...requesterOf(principal),
  keyId: principal.keyId ?? null,
});

/** What an agent said last of its state, as far as it decides whether the session may be ended. */
export const AgentState = z.object({
  busy: z.boolean().default(false),
  awaitingInput: z.boolean().default(false),
  awaitingPermission: z.boolean().default(false),
  pendingTasks: z.int().default(0),
});
export type AgentState = z.infer<typeof AgentState>;

/** What the rules had made of the session when a verdict was applied to it. */
const PlanClass = z.enum(["close", "stuck", "judge"]);

/** Says that somebody should look at a session that goes on; nothing else of it changes. */
export const WrapupFlag = z.object({
  verdict: z.enum(["blocked", "needs-input"]),
  planClass: PlanClass,
  note: z.string(),
  judgedBy: z.string(),
  at: z.int(),
  /** Of the run, the session and the verdict: a repeat finds its own. */
  token: z.string(),
});
export type WrapupFlag = z.infer<typeof WrapupFlag>;

/** Why a steward ended a session. */
export const ClosingVerdict = z.object({
  verdict: z.enum(["done", "abandoned"]),
  planClass: PlanClass,
  /** judged: somebody looked at what the agent told. declared: a rule, or the agent itself. */
  source: z.enum(["judged", "declared"]),
  judgedBy: z.string(),
  note: z.string(),
  endedReason: z.enum(["steward-completed", "steward-abandoned"]),
  at: z.int(),
  token: z.string(),
});
export type ClosingVerdict = z.infer<typeof ClosingVerdict>;

const base = AgentState.extend({
  sessionId: SessionId,
  ownerUid: z.string(),
  name: z.string(),
  purpose: z.string(),
  /** What the client calls its origin; a label. */
  origin: z.string().nullable(),
  /** Assigned from the credential that created the session. */
  originClass: PrincipalKind,
  parentSessionId: SessionId.nullable(),
  /** Never ended by a rule, only by a person or a confident verdict. */
  keepAlive: z.boolean(),
  requestCount: z.int(),
  createdAt: z.int(),
  createdBy: Caller,
  /** When a request last named it; a heartbeat alone moves nothing. */
  lastActiveAt: z.int(),
  /** Who made that request; null before the first. */
  lastCaller: Caller.nullable(),
  /** Goes up when the agent's state changes, or it gets on while it is not busy: who ends it states what it read. */
  stateSeq: z.int().default(0),
  wrapupFlag: WrapupFlag.optional(),
  /** The session that this one goes on with, and the one that goes on with this. */
  continuedFrom: SessionId.optional(),
  continuedTo: SessionId.optional(),
});

/** A named unit of an agent's work. */
export const Session = z.discriminatedUnion("status", [
  base.extend({ status: z.literal("live") }),
  base.extend({
    status: z.literal("ended"),
    endedAt: z.int(),
    endedBy: Caller,
    /** What came of it, in the words of who ended it. */
    outcome: z.string().nullable(),
    /** Only where a steward ended it. */
    verdict: ClosingVerdict.optional(),
  }),
]);
export type Session = z.infer<typeof Session>;
export type SessionStatus = Session["status"];
export type SessionIn<S extends SessionStatus> = Extract<Session, { status: S }>;

/** Which status may follow which. */
export const NEXT = { live: ["ended"], ended: [] } as const satisfies Record<
  SessionStatus,
  readonly SessionStatus[]
>;

/** The session as it is once ended. */
export function end(
  session: SessionIn<"live">,
  by: Caller,
  outcome: string | null,
  at: number,
): SessionIn<"ended"> {
  return { ...session, status: "ended", endedAt: at, endedBy: by, outcome };
}

/** When something last happened to it: a request, or its end. */
export const touchedAt = (session: Session): number =>
  session.status === "ended" ? Math.max(session.lastActiveAt, session.endedAt) : session.lastActiveAt;

/** The state of an agent that has told nothing yet. */
export const QUIET: AgentState = AgentState.parse({});

/** Start of the five minutes that a time lies in. */
export const activeBucketOf = (at: number): number => at - (at % ACTIVE_BUCKET_MS);

/** What one request left behind on its session. */
export const Activity = z.object({
  requestId: z.string(),
  at: z.int(),
  /** Route or tool name. */
  route: z.string(),
  /** Tells equal arguments from unequal ones without keeping them. */
  argsDigest: z.string(),
  /** A few words on what was asked; null where the route says enough. */
  command: z.string().nullable(),
  status: z.int(),
  ms: z.int(),
  tokensIn: z.int().nullable(),
  tokensOut: z.int().nullable(),
  caller: Caller,
});
export type Activity = z.infer<typeof Activity>;

/** A session as another owner and the world see it: not at all. */
export const isOwnedBy = (session: Session | undefined, ownerUid: string): session is Session =>
  session?.ownerUid === ownerUid;

export type SessionId = Id<"ses">;
