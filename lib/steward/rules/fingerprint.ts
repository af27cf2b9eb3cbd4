import { record } from "./reading.ts";

/**
 * What of a session's evidence makes a judge look again, as JSON text. What it says, how long it is idle and how it
 * is called are left out: they change without anything having happened.
 */
export function evidenceFingerprint(evidence?: unknown): string {
  const seen = record(evidence);
  const stats = record(seen.toolStats);
  return JSON.stringify({
    status: seen.status ?? null,
    busy: seen.busy === true,
    awaitingInput: seen.awaitingInput === true,
    keepAlive: seen.keepAlive === true,
    turnsCompleted: seen.turnsCompleted ?? null,
    tokensIn: seen.tokensIn ?? null,
    tokensOut: seen.tokensOut ?? null,
    lastToolCall: record(seen.lastToolCall).tool ?? null,
    toolTotal: stats.total ?? null,
    toolDistinct: stats.distinct ?? null,
    pr: record(record(seen.worktree).pr).state ?? null,
    lastTurnError: seen.lastTurnError ?? null,
    liveChildren: seen.liveChildren ?? null,
    continuedTo: seen.continuedTo ?? null,
    outcome: record(seen.outcome).verdict ?? null,
  });
}
