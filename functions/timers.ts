import type { Ticker } from "../lib/core/clock.ts";

/** The process's own timers: heartbeats inside a model call, and a step's time limit. */
export const timerTicker: Ticker = (everyMs, work) => {
  const timer = setInterval(work, everyMs);
  return () => clearInterval(timer);
};

/** Lets time pass inside a request that waits for something, within its bounds. */
export const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
