import { afterAll, beforeAll, expect, test } from "vitest";
import { hasDoneSomething, recordPass } from "../../../lib/passes/record.ts";
import { createPassStore } from "../../../lib/passes/store.ts";
import { emptyReport } from "../../../lib/runs/pass-report.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { countingIds } from "../../support/ids.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

test("waiting items and the time it took are no deed; whatever changed something is", () => {
  expect(hasDoneSomething({ ...emptyReport(), pending: 7, ms: 12 })).toBe(false);
  expect(hasDoneSomething({ ...emptyReport(), skipped: { paused: 1 } })).toBe(true);
  const counts = Object.entries(emptyReport()).filter(
    ([name, value]) =>
      typeof value === "number" && name !== "pending" && name !== "ms" && name !== "modelCalls",
  );
  for (const [name] of counts) expect(hasDoneSomething({ ...emptyReport(), [name]: 1 })).toBe(true);
});

test("reports are kept for 30 days, listed newest first and by pages; an idle round writes nothing", async () => {
  const passes = createPassStore(engine.doc, engine.tables);
  const clock = testClock();
  const deps = { passes, clock, ids: countingIds() };
  await recordPass(deps, "pass", emptyReport());
  expect(engine.counts()).toEqual({});
  for (const started of [1, 2, 3]) {
    clock.advance(1000);
    await recordPass(deps, "pass", { ...emptyReport(), started });
  }
  const first = await passes.list(2, null);
  expect(first.items.map(({ started }) => started)).toEqual([3, 2]);
  const second = await passes.list(2, first.next);
  expect(second.items.map(({ started }) => started)).toEqual([1]);
});
