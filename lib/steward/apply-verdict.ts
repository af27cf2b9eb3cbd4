import type { Clock } from "../core/clock.ts";
import { digestOf, isId } from "../core/ids.ts";
import type { Requester } from "../core/principal.ts";
import { truncate } from "../core/text.ts";
import { closeRequestWords } from "../sessions/ended-words.ts";
import { sendMessage } from "../sessions/mailbox.ts";
import { end, type ClosingVerdict, type SessionIn, type WrapupFlag } from "../sessions/session.ts";
import type { ListedSession, SessionStore } from "../sessions/store.ts";
import { closeWrite, flagWrite } from "../sessions/writes.ts";
import type { OwnedWork, Work } from "./owned-work.ts";
import { isJudged, planAgain, RULES } from "./plan-again.ts";
import { applyGate, recheckApply, type ApplyRefusal } from "./rules/apply-gate.ts";
import { classifyOrigin, type OriginPolicy } from "./rules/origin.ts";
import { detectStall } from "./rules/stall.ts";
import { rowOf } from "./session-row.ts";

export const CLOSING = ["done", "abandoned"] as const;
export const FLAGGING = ["blocked", "needs-input"] as const;
export type AppliedVerdict = (typeof CLOSING)[number] | (typeof FLAGGING)[number];

const NOTE_MAX = 500;

export type ApplyDeps = {
  sessions: SessionStore;
  clock: Clock;
  ownedWork: OwnedWork;
};

export type ApplyInput = {
  ownerUid: string;
  runId: string;
  /** Idleness is measured to here: who worked after it is not idle. */
  runStartedAt: number;
  requestedBy: Requester;
  sessionIds: readonly string[];
  verdict: AppliedVerdict;
  note: string;
  /** Absent, or one of the two names above, where only rules speak for it. */
  judgedBy: string | undefined;
  idleMinutes: number;
  policy: OriginPolicy;
  callerSessionIds: readonly string[];
  maxBackgroundHours?: number | undefined;
};

export type Applied =
  | { sessionId: string; ok: true; class: PlanClass; action: "closed" | "flagged" }
  | { sessionId: string; ok: false; error: ApplyRefusal };
type PlanClass = ClosingVerdict["planClass"];

/**
 * Ends or flags sessions by a verdict; nothing else of a steward changes one. Each is looked at again, by reads that
 * do not lag, and then changed by one write that fails when anything has happened in it since. A repeat of the same
 * run, session and verdict finds what it did and answers the same.
 */
export async function applyVerdict(deps: ApplyDeps, input: ApplyInput): Promise<Applied[]> {
  const owned = await deps.ownedWork(input.ownerUid);
  const results: Applied[] = [];
  for (const sessionId of new Set(input.sessionIds))
    results.push(await applyOne(deps, input, sessionId, owned));
  return results;
}

async function applyOne(
  deps: ApplyDeps,
  input: ApplyInput,
  sessionId: string,
  owned: ReadonlyMap<string, Work>,
): Promise<Applied> {
  const refused = (error: ApplyRefusal): Applied => ({ sessionId, ok: false, error });
  const session = await readOwned(deps, input.ownerUid, sessionId);
  if (!session) return refused("not_found");
  const token = tokenOf(input, sessionId);
  const before = await appliedBefore(deps, session, token);
  if (before) return before;

  const { entry, judgedBy } = await planAgain(deps, input, session, owned);
  const originClass = classifyOrigin(rowOf(session), input.policy);
  const asked = { found: true, entry, judgedBy, verdict: input.verdict, originClass };
  const gate = applyGate({ ...asked, closeOk: true });
  if (!gate.ok) return refused(gate.error);
  if (session.status === "ended" || !entry || entry.class === "keep") return refused("not_a_candidate");
  const closes = isClosing(input.verdict);
  if (closes && session.keepAlive && !isJudged(input.judgedBy)) return refused("ambiguous_needs_judge");
  const row = rowOf(session);
  if (!recheckApply(entry, row).proceed) return refused("refused_stale_or_busy");
  // One that stalls is a person's to speak to, and never ended: whoever says so, and however sure.
  if (closes && detectStall({ ...row, nowMs: deps.clock.now() }).stalled)
    return refused("refused_stale_or_busy");
  // An older run that comes late does not take back what a later one said.
  const flaggedSince = session.wrapupFlag && session.wrapupFlag.at > input.runStartedAt;
  if (!closes && flaggedSince) return refused("refused_stale_or_busy");

  const mark = markOf(deps, input, { token, planClass: entry.class, judgedBy });
  const { verdict } = input;
  const source = isJudged(judgedBy) ? "judged" : "declared";
  const written = isClosing(verdict)
    ? await close(deps, input, session, { ...mark, verdict, source, endedReason: ENDED_REASON[verdict] })
    : await deps.sessions.writeSession(session.sessionId, flagWrite(session, { ...mark, verdict }));
  if (written) return done(sessionId, entry.class, closes);
  // The answer to our own write may have been lost.
  const current = await readOwned(deps, input.ownerUid, sessionId);
  return (current && (await appliedBefore(deps, current, token))) || refused("refused_stale_or_busy");
}

const ENDED_REASON = { done: "steward-completed", abandoned: "steward-abandoned" } as const;

const isClosing = (verdict: AppliedVerdict): verdict is (typeof CLOSING)[number] =>
  CLOSING.some((closing) => closing === verdict);

const done = (sessionId: string, planClass: PlanClass, closes: boolean): Applied => ({
  sessionId,
  ok: true,
  class: planClass,
  action: closes ? "closed" : "flagged",
});

/** The same for every delivery of one map item. */
const tokenOf = ({ runId, verdict }: ApplyInput, sessionId: string): string =>
  digestOf(["session verdict", runId, sessionId, verdict]);

async function readOwned(
  deps: ApplyDeps,
  ownerUid: string,
  sessionId: string,
): Promise<ListedSession | undefined> {
  if (!isId("ses", sessionId)) return undefined;
  const [session] = await deps.sessions.readSessions([sessionId]);
  return session?.ownerUid === ownerUid ? session : undefined;
}

/** What this very verdict did when it was applied before; its message is then sent, should it have been left out. */
async function appliedBefore(
  deps: ApplyDeps,
  session: ListedSession,
  token: string,
): Promise<Applied | undefined> {
  if (session.status === "ended" && session.verdict?.token === token) {
    await leaveMessage(deps, { ...session, verdict: session.verdict });
    return done(session.sessionId, session.verdict.planClass, true);
  }
  const flag = session.wrapupFlag;
  return flag?.token === token ? done(session.sessionId, flag.planClass, false) : undefined;
}

type Mark = Omit<WrapupFlag, "verdict">;

function markOf(
  { clock }: ApplyDeps,
  { note }: ApplyInput,
  of: { token: string; planClass: PlanClass; judgedBy: string | undefined },
): Mark {
  return {
    token: of.token,
    planClass: of.planClass,
    note: truncate(note, NOTE_MAX).toWellFormed(),
    judgedBy: of.judgedBy ?? RULES,
    at: clock.now(),
  };
}

async function close(
  deps: ApplyDeps,
  { requestedBy }: ApplyInput,
  session: SessionIn<"live">,
  verdict: ClosingVerdict,
): Promise<boolean> {
  const words = `ended by its steward as ${verdict.verdict}${verdict.note ? `: ${verdict.note}` : ""}`;
  const closed = { ...end(session, { ...requestedBy, keyId: null }, words, verdict.at), verdict };
  if (!(await deps.sessions.writeSession(session.sessionId, closeWrite(session, closed)))) return false;
  await leaveMessage(deps, closed);
  return true;
}

/** Its id is made of the verdict's token and time: sent twice it is one. */
async function leaveMessage(
  deps: ApplyDeps,
  closed: SessionIn<"ended"> & { verdict: ClosingVerdict },
): Promise<void> {
  const { sessionId, verdict } = closed;
  const text = closeRequestWords(closed);
  const { token, at: sentAt } = verdict;
  await sendMessage(deps, { sessionId, token, kind: "close_request", text, sentAt, from: "steward" });
}
