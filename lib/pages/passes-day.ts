import { HOUR_MS } from "../core/duration.ts";
import type { PassRecord } from "../passes/store.ts";

/** What the rounds of one hour did together. */
export type Hour = {
  /** When the hour began. */
  from: number;
  rounds: number;
  started: number;
  failed: number;
  /** The most that waited after a round. */
  pending: number;
  /** The longest round. */
  ms: number;
  resumed: number;
  expired: number;
  recovered: number;
};

/** The last 24 hours, oldest first, each with what its rounds did. */
export type PassDay = {
  /** False where there were more rounds than are drawn: then the oldest hours look emptier than they were. */
  complete: boolean;
  rounds: number;
  modelCalls: number;
  hours: Hour[];
};

const HOURS = 24;

/** Adds up the rounds of a day by the hour. */
export function chartsOf(day: readonly PassRecord[], complete: boolean, at: number): PassDay {
  const hours = Array.from({ length: HOURS }, (_, index): Hour => ({
    from: at - (HOURS - index) * HOUR_MS,
    rounds: 0,
    started: 0,
    failed: 0,
    pending: 0,
    ms: 0,
    resumed: 0,
    expired: 0,
    recovered: 0,
  }));
  for (const pass of day) {
    const hour = hours[HOURS - 1 - Math.floor((at - pass.at) / HOUR_MS)] ?? hours[HOURS - 1]!;
    hour.rounds++;
    hour.started += pass.started;
    hour.failed += pass.failedItems;
    hour.pending = Math.max(hour.pending, pass.pending);
    hour.ms = Math.max(hour.ms, pass.ms);
    hour.resumed += pass.resumed;
    hour.expired += pass.expired;
    hour.recovered += pass.recovered + pass.redispatched + pass.exhausted;
  }
  const modelCalls = day.reduce((sum, pass) => sum + pass.modelCalls, 0);
  return { complete, rounds: day.length, modelCalls, hours };
}

/** Whether a round only looked: it set lanes aside, or found them empty, and began and ended nothing. */
export const isQuiet = ({ fired, started, failedItems, resumed, ...rest }: PassRecord): boolean =>
  fired +
    started +
    failedItems +
    resumed +
    rest.recovered +
    rest.redispatched +
    rest.exhausted +
    rest.expired ===
  0;

/** The rounds of a list; quiet ones beside each other are one entry. */
export function foldQuiet(passes: readonly PassRecord[]): PassRecord[][] {
  const groups: PassRecord[][] = [];
  for (const pass of passes) {
    const last = groups.at(-1);
    if (last && isQuiet(pass) && isQuiet(last[0]!)) last.push(pass);
    else groups.push([pass]);
  }
  return groups;
}
