import type { Gate } from "../runs/run.ts";

/** What a timeline needs to know of a run. */
export type TimedRun = {
  createdAt: number;
  settledAt: number | null;
  holds: readonly (Pick<Gate, "openedAt"> & { decision: { at: number } | null })[];
  steps: readonly TimedStep[];
};
export type TimedStep = {
  id: string;
  kind: string;
  status: string;
  ms: number | null;
  startedAt?: number;
  keptFrom?: string;
};

/** A step's place in the time that was worked; null where it has none. */
export type TimelineRow = { step: TimedStep; offsetMs: number | null; ms: number | null };
export type Timeline = {
  /** From the beginning to the end, or until now, without the time that people took. */
  workedMs: number;
  /** How long people were waited for. */
  waitedMs: number;
  isWaiting: boolean;
  rows: TimelineRow[];
};

/**
 * A run's steps on the time that was worked: what people took to decide is left out, since beside days of waiting
 * nobody would see seconds of work.
 */
export function timelineOf(run: TimedRun, now: number): Timeline {
  const { createdAt, settledAt } = run;
  const waits = waitsOf(run, now);
  const isWaiting = settledAt === null && run.holds.at(-1)?.decision === null;
  const workedAt = (at: number): number =>
    Math.max(0, at - createdAt - waits.reduce((sum, [from, to]) => sum + overlap(from, to, at), 0));
  const end = workedAt(settledAt ?? now);
  let cursor = 0;
  const rows = run.steps.map((step): TimelineRow => {
    if (step.status === "pending" || step.keptFrom !== undefined) return { step, offsetMs: null, ms: null };
    const offsetMs = step.startedAt === undefined ? cursor : Math.max(cursor, workedAt(step.startedAt));
    // What has no duration of its own goes on until the end: it is at work, stopped there, or has landed.
    const ms = step.ms ?? Math.max(0, end - offsetMs);
    cursor = Math.max(cursor, offsetMs + ms);
    return { step, offsetMs, ms };
  });
  const workedMs = Math.max(end, cursor);
  return { workedMs, waitedMs: waits.reduce((sum, [from, to]) => sum + to - from, 0), isWaiting, rows };
}

type Span = readonly [from: number, to: number];

/** When people were waited for; a decision that was taken back and its successor are one wait. */
function waitsOf({ holds, settledAt }: TimedRun, now: number): Span[] {
  const spans = holds
    .map(({ openedAt, decision }): Span => [openedAt, decision?.at ?? settledAt ?? now])
    .sort((a, b) => a[0] - b[0]);
  const joined: Span[] = [];
  for (const [from, to] of spans) {
    const last = joined.at(-1);
    if (last && from <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
    else joined.push([from, to]);
  }
  return joined;
}

/** How much of a span lies before a moment. */
const overlap = (from: number, to: number, at: number): number => Math.max(0, Math.min(to, at) - from);
