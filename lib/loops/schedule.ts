import { Cron } from "croner";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../core/duration.ts";
import { instantOf, wallOf } from "./zone.ts";

/** When a workflow is to start by itself: `cron(…)` or `rate(…)`, as EventBridge has them. */
export type Schedule = {
  expression: string;
  /** IANA name; null means UTC. */
  timeZone: string | null;
  /** From here a rate counts. */
  anchorAt: number;
};

const RATE_UNITS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

/** Local times that may fall on one instant, or before the time asked about, when a clock is put on or back. */
const MAX_WALLS = 200;

/**
 * The first slot later than a time; null when there is none. A local time that the clocks skip falls on the next
 * instant that exists; one that they repeat counts once, the first time.
 */
export function nextSlot(schedule: Schedule, after: number): number | null {
  const period = ratePeriod(schedule.expression);
  if (period !== undefined) return nextOfRate(schedule.anchorAt, period, after);
  const cron = cronOf(schedule.expression);
  if (!cron) return null;
  const zone = schedule.timeZone ?? "UTC";
  let wall: Date | null = new Date(wallOf(after, zone));
  for (let tries = 0; tries < MAX_WALLS; tries++) {
    wall = cron.nextRun(wall);
    if (!wall) return null;
    const slot = instantOf(wall.getTime(), zone);
    if (slot > after) return slot;
  }
  return null;
}

/** The newest slot up to a time, of those from `first` on, which is a slot itself. */
export function latestSlot(schedule: Schedule, first: number, upTo: number): number {
  const period = ratePeriod(schedule.expression);
  if (period !== undefined) {
    return Math.max(first, nextOfRate(schedule.anchorAt, period, upTo) - period);
  }
  const cron = cronOf(schedule.expression);
  if (!cron) return first;
  const zone = schedule.timeZone ?? "UTC";
  // In an hour that is repeated, a slot of its first pass may have a later local time.
  let wall: Date | undefined = new Date(wallOf(upTo, zone) + 3 * HOUR_MS);
  for (let tries = 0; tries < MAX_WALLS; tries++) {
    [wall] = cron.previousRuns(1, wall);
    if (!wall) return first;
    const slot = instantOf(wall.getTime(), zone);
    if (slot <= upTo) return Math.max(first, slot);
  }
  return first;
}

function ratePeriod(expression: string): number | undefined {
  const rate = /^rate\((\d{1,5}) (minute|hour|day)s?\)$/.exec(expression);
  return rate ? Number(rate[1]) * RATE_UNITS[rate[2] as keyof typeof RATE_UNITS] : undefined;
}

function nextOfRate(anchorAt: number, period: number, after: number): number {
  if (after < anchorAt) return anchorAt;
  return anchorAt + (Math.floor((after - anchorAt) / period) + 1) * period;
}

/**
 * The calendar of an expression over local times written as if they were UTC; the clock changes are ours, since
 * the library fires a repeated local time twice where the minute has a step.
 */
function cronOf(expression: string): Cron | undefined {
  const fields = /^cron\(([^()]+)\)$/.exec(expression)?.[1]?.trim().split(/\s+/) ?? [];
  if (fields.length !== 6) return undefined;
  const pattern = `0 ${fields.map(fieldOf).join(" ")}`;
  try {
    return new Cron(pattern, {
      timezone: "UTC",
      paused: true,
      // 1 is Sunday, and `5/10` counts from 5, as EventBridge has them.
      alternativeWeekdays: true,
      sloppyRanges: true,
    });
  } catch {
    // The compiler refuses such expressions; a row of an older one is never due.
    return undefined;
  }
}

/** How many values a field has, and its first. */
const FIELDS = [
  [60, 0],
  [24, 0],
  [31, 1],
  [12, 1],
  [7, 1],
  [230, 1970],
] as const;
const WEEKDAY = 4;

function fieldOf(text: string, index: number): string {
  const [size, first] = FIELDS[index] ?? [0, 0];
  const parts = text.split(",").map((part) => {
    // The last day of the week is Saturday.
    if (index === WEEKDAY && part === "L") return "7";
    const step = /^(.+)\/(\d+)$/.exec(part);
    if (!step || Number(step[2]) < size) return part;
    return step[1] === "*" ? String(first) : (step[1]?.split("-")[0] ?? part);
  });
  return parts.join(",");
}

/** A slot as ids name it. */
export const slotName = (at: number): string =>
  new Date(Math.floor(at / SECOND_MS) * SECOND_MS).toISOString();
