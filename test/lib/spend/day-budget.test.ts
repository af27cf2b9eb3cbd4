import { afterEach, beforeEach, expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../lib/core/duration.ts";
import { laneKey } from "../../../lib/core/keys.ts";
import { isUsedUp, nextDayAt } from "../../../lib/spend/day.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { workflowText } from "../../support/workflow-text.ts";

/** Each call: 600 tokens, 20 cents. */
const reply = {
  text: "A text.",
  usage: { input: 400, cacheRead: 0, cacheWrite: 0, output: 200, estimated: false },
  costMicroUsd: 200_000,
};
const MIDNIGHT = Date.parse("2026-01-06T00:00:00Z");

let engine: Engine;
let loop: Loop;
beforeEach(async () => {
  engine = await startEngine();
  // Monday, 5 January 2026, 09:00 UTC.
  loop = createLoop(engine, { model: scriptedModel(() => reply) });
});
afterEach(() => engine.stop());

async function givenBudget(budget: string): Promise<string> {
  const policy = [`**Budget** \`40k tokens\` per run, \`${budget}\` per day`];
  const ids = await loop.importFiles({
    "loop.md": workflowText({ policy, trigger: ["**Input** `n` number"] }),
  });
  return ids["loop.md"]!;
}
const laneOf = (workflowId: string) => loop.queue.readLane(laneKey(OWNER, workflowId));
const spentOn = (workflowId: string) => loop.spend.spentOn(OWNER, workflowId, loop.clock.now());

test.each(["1200 tokens", "$0.40"])(
  "a day's budget of %s is two runs; the third waits for the next day",
  async (budget) => {
    const workflowId = await givenBudget(budget);
    for (const n of [1, 2]) {
      expect((await loop.enqueue("/loop", { n })).status).toBe("queued");
      await loop.settleDown();
    }
    expect(await spentOn(workflowId)).toEqual({ tokens: 1200, microUsd: 400_000 });
    expect(await loop.enqueue("/loop", { n: 3 })).toMatchObject({
      enqueued: true,
      status: "waiting",
      why: "day_budget",
    });
    const report = await loop.pass();
    expect(report).toMatchObject({ started: 0, pending: 1, skipped: { day_budget: 1 } });
    const lane = await laneOf(workflowId);
    expect(lane.wait).toEqual({ reason: "day_budget", untilAt: MIDNIGHT });
    expect(lane.readyShard).toBeUndefined();

    loop.clock.advance(MIDNIGHT - loop.clock.now() - MINUTE_MS);
    expect(await loop.fire()).toEqual({ fired: 0, skipped: {} });
    expect((await loop.pass()).started).toBe(0);
    loop.clock.advance(MINUTE_MS);
    await loop.fire();
    expect((await loop.pass()).started).toBe(1);
    await loop.deliver();
    expect(await spentOn(workflowId)).toEqual({ tokens: 600, microUsd: 200_000 });
  },
);

test("while it waits nothing is written: neither by a tick nor by the sweep", async () => {
  const workflowId = await givenBudget("600 tokens");
  await loop.enqueue("/loop", { n: 1 });
  await loop.settleDown();
  await loop.enqueue("/loop", { n: 2 });
  await loop.pass();
  engine.resetCounts();
  for (let tick = 0; tick < 12; tick++) {
    loop.clock.advance(HOUR_MS);
    await loop.resume();
    await loop.fire();
    await loop.pass();
    await loop.recover();
  }
  expect(Object.keys(engine.counts()).filter((name) => !/^(Query|GetItem|BatchGetItem)$/.test(name))).toEqual(
    [],
  );
  expect((await laneOf(workflowId)).wait).toMatchObject({ reason: "day_budget" });
});

test("the sweep brings the lane back when its row of the due index is lost", async () => {
  const workflowId = await givenBudget("600 tokens");
  await loop.enqueue("/loop", { n: 1 });
  await loop.settleDown();
  await loop.enqueue("/loop", { n: 2 });
  await loop.pass();
  loop.clock.advance(MIDNIGHT - loop.clock.now());
  for (const row of await loop.loops.dueRows(loop.clock.now(), 10)) await loop.loops.remove(row);
  // The slow repairs take turns by chance.
  for (let tick = 0; tick < 40 && (await laneOf(workflowId)).wait; tick++) {
    loop.clock.advance(MINUTE_MS);
    await loop.recover();
  }
  expect((await laneOf(workflowId)).readyShard).toBeDefined();
});

test("a higher budget in the memo serves the lane at once", async () => {
  await givenBudget("600 tokens");
  await loop.enqueue("/loop", { n: 1 });
  await loop.settleDown();
  await givenBudget("5k tokens");
  expect((await loop.enqueue("/loop", { n: 2 })).status).toBe("queued");
  expect((await loop.pass()).started).toBe(1);
});

test("a call may pass the day's budget by its answer; the next run waits", async () => {
  const workflowId = await givenBudget("600 tokens");
  for (const n of [1, 2]) await loop.enqueue("/loop", { n });
  await loop.pass();
  await loop.deliver();
  expect((await spentOn(workflowId)).tokens).toBe(600);
  expect((await loop.pass()).skipped).toEqual({ day_budget: 1 });
});

test("one step's cost counts once, however often its row is found again", async () => {
  const workflowId = await givenBudget("600 tokens");
  const at = loop.clock.now();
  const spent = { at, token: "run_1#STEP#01#R1#E1", tokens: 100, microUsd: 5 };
  expect(await loop.spend.addOnce(OWNER, workflowId, spent)).toBe(true);
  expect(await loop.spend.addOnce(OWNER, workflowId, spent)).toBe(false);
  expect(await loop.spend.addOnce(OWNER, workflowId, { ...spent, token: "run_1#STEP#02#R1#E1" })).toBe(true);
  expect(await spentOn(workflowId)).toEqual({ tokens: 200, microUsd: 10 });
});

test("a runner that dies between the step's row and the head counts its call once", async () => {
  const workflowId = await givenBudget("5k tokens");
  await loop.enqueue("/loop", { n: 1 });
  await loop.pass();
  const writeHead = loop.runs.writeHead;
  loop.runs.writeHead = async (runId, write) => {
    if (write.name === "W2 checkpoint" && (await spentOn(workflowId)).tokens > 0)
      throw new Error("the process is gone");
    return writeHead.call(loop.runs, runId, write);
  };
  await loop.deliver().catch(() => undefined);
  expect((await spentOn(workflowId)).tokens).toBe(600);
  loop.runs.writeHead = writeHead;
  loop.clock.advance(11 * MINUTE_MS);
  await loop.recover();
  await loop.deliver();
  expect((await spentOn(workflowId)).tokens).toBe(600);
});

test.each([
  [{ tokens: null, usd: null }, { tokens: 1e9, microUsd: 1e9 }, false],
  [{ tokens: 10, usd: null }, { tokens: 9, microUsd: 0 }, false],
  [{ tokens: 10, usd: null }, { tokens: 10, microUsd: 0 }, true],
  [{ tokens: null, usd: 0.5 }, { tokens: 0, microUsd: 499_999 }, false],
  [{ tokens: null, usd: 0.5 }, { tokens: 0, microUsd: 500_000 }, true],
  [{ tokens: 10, usd: 100 }, { tokens: 11, microUsd: 0 }, true],
])("of %j, %j spent: used up is %s", (budget, spend, expected) => {
  expect(isUsedUp(budget, spend)).toBe(expected);
});

test("the next day begins at midnight UTC, also from midnight itself", () => {
  expect(nextDayAt(MIDNIGHT - 1)).toBe(MIDNIGHT);
  expect(nextDayAt(MIDNIGHT)).toBe(MIDNIGHT + 24 * HOUR_MS);
});
