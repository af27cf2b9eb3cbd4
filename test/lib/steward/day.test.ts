import { afterAll, beforeAll, expect, test } from "vitest";
import { startEngine, type Engine } from "../../support/engine.ts";
import { SURELY_ENDED } from "./day.ts";
import { aliveOf, faultsOfDay, liveDay } from "./live-day.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

test("a morning of a smaller fleet ends what may be ended and nothing else, and explains it", async () => {
  const morning = await liveDay(engine, { appId: "session-steward", hours: 4, share: 0.2 });
  expect(faultsOfDay(morning)).toEqual([]);
  const { after, pass } = morning.passes.at(-1)!;
  expect(SURELY_ENDED.flatMap((kind) => aliveOf(after, kind))).toEqual([]);
  expect(pass.proposals.proposals.filter(({ kind }) => kind === "interrupt")).toHaveLength(2);
});
