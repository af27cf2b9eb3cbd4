/** Epoch milliseconds, UTC. Read once per operation and passed down as `at`. */
export type Clock = { now(): number };

/** The machine's clock; the only place that reads it. */
export const systemClock: Clock = { now: () => Date.now() };

/** Calls `work` every `everyMs` until the returned function is called. */
export type Ticker = (everyMs: number, work: () => void) => () => void;
