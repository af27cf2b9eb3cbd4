import type { Ticker } from "../lib/core/clock.ts";

/** The process's own timers: heartbeats inside a model call, and a step's time limit. */
export const timerTicker: Ticker = (everyMs, work) => {
  const timer = setInterval(work, everyMs);
  return () => clearInterval(timer);
};
