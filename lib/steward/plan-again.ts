import { truncate } from "../core/text.ts";
import type { ListedSession, SessionStore } from "../sessions/store.ts";
import { evidenceOf } from "./evidence-of.ts";
import type { Work } from "./owned-work.ts";
import { busyChildrenOf, planSessions } from "./plan-sessions.ts";
import { FAST_PATH_JUDGE, takeFastPath } from "./rules/fast-path.ts";
import { isNeverRan } from "./rules/never-ran.ts";
import type { PlanEntry } from "./rules/plan.ts";
import { rowOf } from "./session-row.ts";

/** Who judges where nobody did. */
export const RULES = "steward-rules";

const JUDGE_MAX = 200;

/** Whether somebody looked at the session, and not the rules alone. */
export const isJudged = (judgedBy: string | undefined): judgedBy is string =>
  judgedBy !== undefined && judgedBy !== RULES && judgedBy !== FAST_PATH_JUDGE;

type Again = {
  ownerUid: string;
  judgedBy: string | undefined;
  idleMinutes: number;
  runStartedAt: number;
  callerSessionIds: readonly string[];
  maxBackgroundHours?: number | undefined;
};

/** What may become of one session as it is now, and who speaks for a verdict on it. */
export async function planAgain(
  deps: { sessions: Pick<SessionStore, "readSessions" | "children"> },
  input: Again,
  session: ListedSession,
  owned: ReadonlyMap<string, Work>,
): Promise<{ entry: PlanEntry | undefined; judgedBy: string | undefined }> {
  const {
    ownerUid,
    judgedBy,
    idleMinutes,
    runStartedAt: nowMs,
    callerSessionIds,
    maxBackgroundHours,
  } = input;
  const { sessionId } = session;
  const children = await deps.sessions.children(ownerUid, sessionId);
  const [planned] = await planSessions(deps, {
    ownerUid,
    idleMinutes,
    nowMs,
    callerSessionId: callerSessionIds.includes(sessionId) ? sessionId : null,
    owned,
    maxBackgroundHours,
    candidates: [session],
    busyChildren: busyChildrenOf(children),
  });
  if (isJudged(judgedBy)) return { entry: planned, judgedBy: truncate(judgedBy, JUDGE_MAX) };
  const liveChildren = children.filter(({ status }) => status === "live").length;
  const ownWord =
    judgedBy === FAST_PATH_JUDGE && planned && stillSaysDone(planned, session, { nowMs, liveChildren });
  return {
    entry: planned && byRules(planned, session, input),
    judgedBy: ownWord ? FAST_PATH_JUDGE : undefined,
  };
}

/** One that never ran is stuck, also while it says that it runs. */
function byRules(
  entry: PlanEntry,
  session: ListedSession,
  { idleMinutes, runStartedAt: nowMs }: Again,
): PlanEntry {
  const isStuck =
    entry.class === "judge" && !session.keepAlive && isNeverRan(rowOf(session), { nowMs, idleMinutes });
  return isStuck ? { ...entry, class: "stuck", reasons: [{ code: "zero-tokens-never-ran" }] } : entry;
}

/** The rule that took the agent's own word looks at what is known of it by now. */
function stillSaysDone(
  entry: PlanEntry,
  session: ListedSession,
  of: { nowMs: number; liveChildren: number },
): boolean {
  const hasOpenPr = session.heartbeat?.openedPrs?.some(({ state }) => state === "open") ?? false;
  const evidence = { ...evidenceOf(session, of), signals: entry.signals };
  return !hasOpenPr && takeFastPath([{ entry, evidence }]).decided.length > 0;
}
