import { standingState } from "../sessions/progress.ts";
import type { ListedSession, SessionStore } from "../sessions/store.ts";
import type { Work } from "./owned-work.ts";
import { keepForOwnedWork } from "./rules/owned-work.ts";
import { planSessionWrapup, type PlanEntry } from "./rules/plan.ts";
import { defined, lastAssistantTail, pullRequestOf, rowOf, type SessionRow } from "./session-row.ts";

/** A session that nothing was heard of for so long after it was opened never started: its agent died, or never was. */
const STUCK_STARTING_MS = 10 * 60 * 1000;

export type PlanInput = {
  ownerUid: string;
  idleMinutes: number;
  /** The run's start: what was done after it makes a session busy, not idle. */
  nowMs: number;
  callerSessionId: string | null;
  owned: ReadonlyMap<string, Work>;
  maxBackgroundHours?: number | undefined;
};

/** What may become of each of the sessions given, by the rules; their parents are looked up. */
export async function planSessions(
  deps: { sessions: Pick<SessionStore, "readSessions"> },
  input: PlanInput & { candidates: readonly ListedSession[]; busyChildren: ReadonlyMap<string, number> },
): Promise<PlanEntry[]> {
  const { candidates, nowMs, idleMinutes, callerSessionId } = input;
  const known = new Map<string, ListedSession>(candidates.map((session) => [session.sessionId, session]));
  const wanted = new Set(candidates.flatMap(({ parentSessionId: id }) => (id && !known.has(id) ? [id] : [])));
  const parents = (await deps.sessions.readSessions([...wanted])).filter(
    ({ ownerUid }) => ownerUid === input.ownerUid,
  );
  for (const parent of parents) known.set(parent.sessionId, parent);
  const rows = [...known.values()].map((session) =>
    rowOf(session, input.busyChildren.get(session.sessionId) ?? 0),
  );
  const signals = Object.fromEntries(
    candidates.map((session) => [session.sessionId, signalsOf(session, known, nowMs)]),
  );
  const asked = new Set<string>(candidates.map(({ sessionId }) => sessionId));
  const entries = planSessionWrapup({
    sessions: rows,
    nowMs,
    idleMinutes,
    signals,
    ...(callerSessionId !== null && { callerSessionId }),
  });
  const { owned, maxBackgroundHours } = input;
  return entries
    .filter(({ sessionId }) => asked.has(sessionId))
    .map((entry) => keepForOwnedWork(entry, owned.get(entry.sessionId), nowMs, maxBackgroundHours));
}

/** How many busy children each session has, among those given. */
export function busyChildrenOf(sessions: readonly ListedSession[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const session of sessions) {
    if (session.status !== "live" || !session.parentSessionId) continue;
    if (!standingState(session, session.heartbeat).busy) continue;
    counts.set(session.parentSessionId, (counts.get(session.parentSessionId) ?? 0) + 1);
  }
  return counts;
}

function signalsOf(session: ListedSession, known: ReadonlyMap<string, ListedSession>, nowMs: number) {
  const { heartbeat, parentSessionId } = session;
  const row: SessionRow = rowOf(session);
  const pr = pullRequestOf(heartbeat);
  const opened = heartbeat?.openedPrs ?? [];
  const allMerged = pr?.state === "merged" && opened.every(({ state }) => state === "merged");
  const startedMs = nowMs - session.createdAt;
  return defined({
    worktreeMerged: allMerged || undefined,
    worktreePrOpen: pr?.state === "open" || undefined,
    parentEnded: (parentSessionId && known.get(parentSessionId)?.status !== "live") || undefined,
    pendingToolCall: standingState(session, heartbeat).pendingTasks > 0 || undefined,
    stuckStarting: (row.status === "starting" && startedMs >= STUCK_STARTING_MS) || undefined,
    lastAssistantTail: lastAssistantTail(heartbeat),
  });
}
