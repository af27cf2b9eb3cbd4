import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onWrite, startBadDays, STORY_NAMES as names, type BadDays } from "./bad-days.ts";
import type { Fate } from "./store-proxy.ts";

/*
 * As in store-answers.test.ts, on worse days: no attempt is answered, requests are throttled or reset.
 */

let days: BadDays;
beforeAll(async () => {
  days = await startBadDays();
});
afterAll(() => days.stop());

describe("F32: the store that answers nobody costs a repeat and never a second effect", () => {
  test.each(names)("when every attempt of a write of %s was applied and unanswered", async (name) => {
    const clean = await days.play(name, () => "pass");
    for (const [write, what] of clean.writes.entries()) {
      const { end, good } = await days.play(name, onWrite(write, "answer lost", 3));
      // A call whose row was never put is made again: at most one is recorded.
      const calls = what === "runs STEP" ? end.calls : 1;
      expect({ what, ...end }).toEqual({ what, ...good, calls });
      expect(end.calls).toBeLessThanOrEqual(2);
    }
  });
});

describe("throttles and resets are waited out or told, and never lose a run", () => {
  test.each<[Fate, number]>([
    ["throttled", 1],
    ["throttling", 3],
    ["reset", 1],
    ["reset", 3],
  ])("%s, %i times, at every write of an approved hold", async (fate, attempts) => {
    const clean = await days.play("an approved hold", () => "pass");
    for (const [write, what] of clean.writes.entries()) {
      const { end, good } = await days.play("an approved hold", onWrite(write, fate, attempts));
      // A call whose row was never put is made again: at most one is recorded.
      const calls = what === "runs STEP" ? end.calls : 1;
      expect({ what, ...end }).toEqual({ what, ...good, calls });
      expect(end.calls).toBeLessThanOrEqual(2);
    }
  });
});
