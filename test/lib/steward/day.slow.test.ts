import { afterAll, beforeAll, expect, test } from "vitest";
import { startEngine, type Engine } from "../../support/engine.ts";
import { SURELY_ENDED } from "./day.ts";
import { aliveOf, faultsOfDay, liveDay } from "./live-day.ts";

let engines: Engine[];
beforeAll(async () => {
  engines = [await startEngine(), await startEngine()];
});
afterAll(async () => {
  for (const engine of engines) await engine.stop();
});

const HOURS = 24;

test(
  "a day of 200 sessions and 24 passes ends what may be ended and nothing else",
  { timeout: 900_000 },
  async () => {
    const cached = await liveDay(engines[0]!, { appId: "session-steward", hours: HOURS, share: 1 });
    expect(faultsOfDay(cached)).toEqual([]);
    expect(cached.fleet.size).toBe(200);
    const { after, pass } = cached.passes.at(-1)!;
    const ended = Object.groupBy(
      after.filter(({ status }) => status === "ended"),
      ({ purpose }) => purpose,
    );
    const told = Object.entries(ended).map(([kind, all]) => `${kind} ${all?.length}`);
    process.stdout.write(`ended in a day: ${told.join(", ")}\n`);
    expect(SURELY_ENDED.flatMap((kind) => aliveOf(after, kind))).toEqual([]);
    expect(pass.proposals.proposals.filter(({ kind }) => kind === "interrupt")).toHaveLength(10);

    const without = await liveDay(engines[1]!, { appId: "", hours: HOURS, share: 1 });
    expect(faultsOfDay(without)).toEqual([]);
    const calls = `${cached.judged} with the memory of verdicts, ${without.judged} without`;
    process.stdout.write(`calls of the judge in a day: ${calls}\n`);
    expect(cached.judged).toBeLessThan(without.judged / 4);
  },
);
