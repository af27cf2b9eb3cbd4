import type { Clock } from "../../lib/core/clock.ts";

/** A clock that moves only by `advance`. */
export function testClock(startMs = Date.UTC(2026, 0, 5, 9, 0, 0)): Clock & { advance(ms: number): void } {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
  };
}
