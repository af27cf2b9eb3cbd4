import { entriesOf, isEntry, type Candidates } from "./candidates.ts";
import type { PlanEntry } from "./plan.ts";
import { filled, finite, list, minutesSince, record } from "./reading.ts";

/**
 * True for a session with not one token in or out, that does nothing, waits for nothing, and whose age and idleness
 * both reach the threshold. A time that is missing or cannot be read does not stand in the way.
 */
export function isNeverRan(session?: unknown, of?: { nowMs?: number; idleMinutes?: number }): boolean {
  const row = record(session);
  if (row.tokensIn !== 0 || row.tokensOut !== 0) return false;
  if (row.busy === true || row.status === "starting" || row.provisioning) return false;
  if (list(row.pendingPrompts).length > 0) return false;
  const { nowMs, idleMinutes = 0 } = of ?? {};
  if (nowMs === undefined) return true;
  const oldEnough = (at: unknown) => (minutesSince(at, nowMs) ?? Infinity) >= idleMinutes;
  return oldEnough(row.startedAt) && oldEnough(row.lastActivityAt ?? row.startedAt);
}

/**
 * The candidates with what never ran among the stuck, each session in one class only; a judge's slot that becomes
 * free goes to the next one.
 */
export function mergeNeverRan(candidates: unknown, scan: unknown): Partial<Candidates> {
  const given = record(candidates) as Partial<Candidates>;
  const stuck = entriesOf(given.stuck);
  const known = new Set(stuck.map(({ sessionId }) => sessionId));
  const found = list(record(scan).neverRan)
    .filter(isEntry)
    .filter(({ sessionId }) => !known.has(sessionId));
  const moved = new Set(found.map(({ sessionId }) => sessionId));
  const rest = (entries: unknown) => entriesOf(entries).filter(({ sessionId }) => !moved.has(sessionId));
  const judge = rest(given.judge);
  const overflow = rest(given.judgeOverflow);
  const freed = entriesOf(given.judge).length - judge.length;
  return {
    ...given,
    ...(given.close !== undefined && { close: rest(given.close) }),
    stuck: [...stuck, ...found.map(neverRanEntry)],
    judge: [...judge, ...overflow.slice(0, freed)],
    judgeOverflow: overflow.slice(freed),
  };
}

function neverRanEntry(row: PlanEntry): PlanEntry {
  const label = filled(row.label);
  const origin = filled(row.origin);
  const parentSessionId = filled(row.parentSessionId);
  return {
    sessionId: row.sessionId,
    ...(label !== undefined && { label }),
    idleMinutes: Math.round(finite(row.idleMinutes) ?? 0),
    ...(origin !== undefined && { origin }),
    ...(row.originClass === "user" && { originClass: "user" }),
    ...(parentSessionId !== undefined && { parentSessionId }),
    class: "stuck",
    reasons: [{ code: "zero-tokens-never-ran" }],
    signals: {},
  };
}
