import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onWrite, startBadDays, STORY_NAMES as names, type BadDays } from "./bad-days.ts";

/*
 * The real SDK client through a proxy where a write is applied and its answer lost: every single write of a run.
 */

let days: BadDays;
beforeAll(async () => {
  days = await startBadDays();
});
afterAll(() => days.stop());

describe("F31, F32: a write that was applied and whose answer was lost is recognised as one's own", () => {
  test.each(names)("at every write of %s", async (name) => {
    const clean = await days.play(name, () => "pass");
    expect(clean.end).toEqual(clean.good);
    expect(clean.writes.length).toBeGreaterThan(8);
    for (const [write, what] of clean.writes.entries()) {
      const { end, good, refusals } = await days.play(name, onWrite(write, "answer lost", 1));
      expect({ what, refusals, ...end }).toEqual({ what, refusals: [], ...good });
    }
  });

  test("F31: every deciding write of the table is among them", async () => {
    const all = new Set<string>();
    for (const name of names) for (const what of (await days.play(name, () => "pass")).writes) all.add(what);
    const seen = [...all].join("\n");
    for (const decides of [
      /^queue$/m,
      /^lanes .*inFlight/m,
      /^runs HEAD$/m,
      /^queue status=claimed/m,
      /^runs HEAD status=running,.*leaseOwner/m,
      /^runs HEAD step,rows/m,
      /^runs HEAD status=suspending,.*gate/m,
      /^runs HEAD status=suspended/m,
      /^runs HEAD gate\.decision/m,
      /^runs HEAD intent/m,
      /^runs HEAD epoch,recoveries/m,
      /^runs HEAD status=settling,outcome/m,
      /^runs HEAD status=done/m,
      /^runs HEAD status=cancelled/m,
      /^queue status=done/m,
      /^memos BODY/m,
      /^memos CUR/m,
    ]) {
      expect(seen).toMatch(decides);
    }
  });
});
