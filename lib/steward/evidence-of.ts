import { standingState, lastWorkedAt } from "../sessions/progress.ts";
import type { Heartbeat } from "../sessions/heartbeat.ts";
import type { ListedSession } from "../sessions/store.ts";
import { defined, isoOf, outcomeOf, pullRequestOf, rowOf } from "./session-row.ts";
import { toldCalls, toolStats, type ToolRecord } from "./tool-records.ts";

const MINUTE_MS = 60_000;
/** Bounds of what a judge is shown of a conversation. */
const MAX_TURNS = 10;
const TURN_MAX = 900;
const TURNS_MAX = 3000;
const WORDS_MAX = 300;

/** All that is known of one session and may be shown to a judge: told by its agent, so nothing to be believed. */
export function evidenceOf(
  session: ListedSession,
  of: { nowMs: number; liveChildren: number; calls?: readonly ToolRecord[] },
) {
  const { heartbeat } = session;
  const { nowMs } = of;
  const row = rowOf(session);
  const calls = of.calls ?? toldCalls(heartbeat);
  const opened = heartbeat?.openedPrs ?? [];
  const pr = pullRequestOf(heartbeat);
  const state = standingState(session, heartbeat);
  return defined({
    sessionId: session.sessionId,
    label: capped(session.name),
    purpose: capped(session.purpose),
    cwd: heartbeat?.cwd === undefined ? undefined : capped(heartbeat.cwd),
    adapter: heartbeat?.adapter,
    status: row.status,
    keepAlive: session.keepAlive,
    awaitingInput: state.awaitingInput,
    busy: state.busy,
    idleMinutes: minutesSince(lastWorkedAt(session, heartbeat), nowMs),
    turnsCompleted: heartbeat?.turnsCompleted,
    turns: turnsOf(heartbeat),
    origin: session.origin ?? undefined,
    parentSessionId: session.parentSessionId ?? undefined,
    liveChildren: of.liveChildren,
    continuedFrom: session.continuedFrom,
    continuedTo: session.continuedTo,
    tokensIn: heartbeat?.tokensIn,
    tokensOut: heartbeat?.tokensOut,
    lastTurnErroredAt: heartbeat?.lastTurnErroredAt ? isoOf(heartbeat.lastTurnErroredAt) : undefined,
    lastTurnError: heartbeat?.lastTurnError ? capped(heartbeat.lastTurnError) : undefined,
    outcome: outcomeOf(session),
    pullRequests: {
      opened: opened.length,
      merged: pr?.state === "merged" ? 1 : 0,
      state: pr?.state ?? null,
    },
    toolStats: toolStats(calls),
    lastToolCall: calls.at(-1),
    minutesSinceUserMessage: minutesSinceTurn(heartbeat, "user", nowMs),
    minutesSinceAgentMessage: minutesSinceTurn(heartbeat, "assistant", nowMs),
    worktree: row.worktree,
  });
}
export type SessionEvidence = ReturnType<typeof evidenceOf>;

/** The newest turns, within the bounds: of a person's the beginning, of an agent's the end. */
function turnsOf(heartbeat: Heartbeat | null): { role: "user" | "assistant"; text: string }[] {
  const shown: { role: "user" | "assistant"; text: string }[] = [];
  let left = TURNS_MAX;
  for (const { role, text } of (heartbeat?.turns ?? []).slice(-MAX_TURNS).toReversed()) {
    const max = Math.min(TURN_MAX, left);
    if (max <= 0) break;
    const part = role === "user" ? text.slice(0, max) : text.slice(-max);
    // A pair that was cut in two is no character.
    shown.unshift({ role, text: part.toWellFormed() });
    left -= part.length;
  }
  return shown;
}

const capped = (text: string): string => text.slice(0, WORDS_MAX).toWellFormed();

const minutesSince = (at: number, nowMs: number): number => Math.max(0, Math.floor((nowMs - at) / MINUTE_MS));

function minutesSinceTurn(
  heartbeat: Heartbeat | null,
  role: "user" | "assistant",
  nowMs: number,
): number | undefined {
  const at = heartbeat?.turns?.findLast((turn) => turn.role === role)?.at;
  return at === undefined ? undefined : minutesSince(at, nowMs);
}
