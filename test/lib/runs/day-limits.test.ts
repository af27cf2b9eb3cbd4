import { NOTHING_ALLOWED } from "../../../lib/runs/step-budget.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MINUTE_MS } from "../../../lib/core/duration.ts";
import { laneKey } from "../../../lib/core/keys.ts";
import { cancel } from "../../../lib/runs/cancel.ts";
import { createDayLimits } from "../../../lib/runs/day-limits.ts";
import type { Run } from "../../../lib/runs/run.ts";
import { newHead } from "../../../lib/runs/writes.ts";
import { NOTHING_SPENT, type Spent } from "../../../lib/runs/spent.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { agent, createLoop, OWNER, type Loop } from "../../support/loop.ts";
import { heldReply, scriptedModel, type Script } from "../../support/scripted-model.ts";
import { OUTPUT, stepWorkflow, withOptions } from "../../support/step-workflow.ts";

/** A dollar for a million tokens, so that a token costs a millionth. */
const PRICE = { input: 1, output: 1, asOf: "2026-05-01" };
const MIDNIGHT = Date.parse("2026-01-06T00:00:00Z");

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.stop());

const used = (tokens: number, costMicroUsd: number | null = tokens) => ({
  text: "Said.",
  usage: { input: tokens, cacheRead: 0, cacheWrite: 0, output: 0, estimated: false },
  costMicroUsd,
});

type Options = Partial<Parameters<typeof createLoop>[1]> & { maxOutput?: number; perDay?: string };

/** Workflows whose only call may give 1000 tokens back, with a limit on the day where one is given. */
async function given(commands: readonly string[], script: Script, options: Options = {}) {
  const { maxOutput = 1000, perDay, ...more } = options;
  const model = scriptedModel(script);
  const loop = createLoop(engine, { model, price: PRICE, ...more });
  const budget = `- **Budget** \`400k tokens\` per run${perDay ? `, \`${perDay}\` per day` : ""}`;
  const steps = [
    withOptions("**process** `draft` Write.", [`**Max output** \`${maxOutput} tokens\``]),
    OUTPUT,
  ];
  const files = commands.map((command) => [
    `${command.slice(1)}.md`,
    stepWorkflow({ command, steps, inputs: ["- **Input** `n` number"], policy: [budget] }),
  ]);
  const ids = await loop.importFiles(Object.fromEntries(files) as Record<string, string>);
  return { model, loop, ids: commands.map((command) => ids[`${command.slice(1)}.md`]!) };
}

/** Has so many items claimed, with their bells out. */
async function claimed(loop: Loop, commands: readonly string[], each: number): Promise<string[]> {
  const runIds: string[] = [];
  for (const command of commands) {
    for (let n = 0; n < each; n++) runIds.push((await loop.enqueue(command, { n })).runId);
  }
  while ((await loop.pass()).started > 0);
  return runIds;
}

const rowOf = async (loop: Loop, workflowId: string | null, at = loop.clock.now()) =>
  (await loop.spend.reserve(
    { ownerUid: OWNER, workflowId, at },
    "probe",
    { runId: "run_probe", epoch: 1, tokens: 1e12, microUsd: 1e12 },
    { tokens: 1, usd: 1e-6 },
  ))!;

test("of twenty runs at the same time exactly as many are asked as the library's day has room for", async () => {
  const asked = Array.from({ length: 20 }, () => heldReply(used(900)));
  let next = 0;
  const { loop, model } = await given(["/alpha", "/beta"], () => asked[next++]!.reply, {
    // Each call is reserved with 1000 of output and a few of its prompt: five fit.
    libraryUsdPerDay: 0.0055,
  });
  await claimed(loop, ["/alpha", "/beta"], 10);
  expect(loop.bells).toHaveLength(20);
  const bells = loop.bells.splice(0);
  const running = Promise.all(bells.map((bell) => loop.run(bell)));
  await Promise.all(asked.slice(0, 5).map(({ started }) => started));
  // None of the five has answered while the others ask.
  for (let round = 0; round < 200 && (await notAsking(loop, bells)) < 15; round++);
  expect(model.calls).toHaveLength(5);
  for (const { release } of asked) release();
  await running;
  expect(model.calls).toHaveLength(5);
  expect(await loop.spend.spentOn(OWNER, null, loop.clock.now())).toEqual({ tokens: 4500, microUsd: 4500 });
  expect((await rowOf(loop, null)).committed.microUsd).toBe(4500);
});

/** How many of these runs are not at work any more. */
async function notAsking(loop: Loop, bells: readonly { runId: string }[]): Promise<number> {
  const heads = await loop.runs.readHeads(bells.map(({ runId }) => runId));
  return heads.filter(({ status }) => status !== "running").length;
}

test("a runner that dies between reserving and settling leaves a reservation that the next one takes over", async () => {
  const dead = heldReply(used(900));
  const { loop, ids, model } = await given(
    ["/alpha"],
    { draft: [dead.reply, used(700)] },
    { perDay: "1500 tokens" },
  );
  const [workflowId] = ids as [string];
  await claimed(loop, ["/alpha"], 1);
  void loop.run(loop.bells.shift()!);
  await dead.started;
  const left = await rowOf(loop, workflowId);
  expect(left.tokens).toBe(0);
  expect(left.committed.tokens).toBeGreaterThan(1000);
  loop.clock.advance(11 * MINUTE_MS);
  await loop.recover();
  // 1500 would not hold two reservations.
  await loop.deliver();
  expect(model.calls).toHaveLength(2);
  const row = await rowOf(loop, workflowId);
  expect(row).toMatchObject({ tokens: 700, calls: 1, committed: { tokens: 700 } });
  expect(row.reserved.size).toBe(0);
});

test("what a run has left that was cancelled is given back by the first call that needs the room", async () => {
  const dead = heldReply(used(900));
  const { loop, ids } = await given(
    ["/alpha"],
    { draft: [dead.reply, used(700)] },
    { perDay: "1500 tokens" },
  );
  const [workflowId] = ids as [string];
  const [runId] = (await claimed(loop, ["/alpha"], 1)) as [string];
  void loop.run(loop.bells.shift()!);
  await dead.started;
  await cancel(loop, runId, agent);
  expect((await rowOf(loop, workflowId)).reserved.size).toBe(1);
  await loop.enqueue("/alpha", { n: 9 });
  await loop.settleDown();
  const row = await rowOf(loop, workflowId);
  expect(row).toMatchObject({ tokens: 700, committed: { tokens: 700 } });
  expect(row.reserved.size).toBe(0);
});

test("a call that fails gives its reservation back", async () => {
  const { loop, ids } = await given(
    ["/alpha"],
    { draft: [new Error("no answer")] },
    { perDay: "1500 tokens" },
  );
  await claimed(loop, ["/alpha"], 1);
  await loop.deliver();
  const row = await rowOf(loop, ids[0]!);
  expect(row).toMatchObject({ tokens: 0, committed: { tokens: 0 } });
  expect(row.reserved.size).toBe(0);
});

test("a call counts on the day on which it was begun, in UTC, also when it ends after midnight", async () => {
  const slow = heldReply(used(700));
  const { loop, ids } = await given(["/alpha"], { draft: [slow.reply] }, { perDay: "1500 tokens" });
  const [workflowId] = ids as [string];
  await claimed(loop, ["/alpha"], 1);
  loop.clock.advance(MIDNIGHT - loop.clock.now() - 1);
  const running = loop.run(loop.bells.shift()!);
  await slow.started;
  loop.clock.advance(2);
  slow.release();
  await running;
  const before = await rowOf(loop, workflowId, MIDNIGHT - 1);
  expect(before).toMatchObject({ tokens: 700, committed: { tokens: 700 } });
  expect(before.reserved.size).toBe(0);
  expect(await loop.spend.spentOn(OWNER, workflowId, MIDNIGHT)).toEqual({ tokens: 0, microUsd: 0 });
});

test("clocks that change for summer do not move a day", async () => {
  // The night of 29 March 2026 has one hour less in Paris.
  for (const at of ["2026-03-28T23:00:00Z", "2026-03-29T00:30:00Z", "2026-03-29T23:59:59Z"]) {
    const { loop } = await given(["/alpha"], {});
    await loop.spend.addOnce(OWNER, "memo_dst", { at: Date.parse(at), token: at, tokens: 1, microUsd: 0 });
  }
  const { loop } = await given(["/beta"], {});
  const { rows } = await loop.spend.rowsOf(OWNER, { from: "2026-03-01", to: "2026-03-31", limit: 10 });
  const byDay = rows.map(({ day, tokens }) => [day, tokens]).sort();
  expect(byDay).toEqual([
    ["2026-03-28", 1],
    ["2026-03-29", 2],
  ]);
});

test("once the library's day is used up every workflow's items wait for the next one", async () => {
  const { loop, ids } = await given(
    ["/alpha", "/beta"],
    { draft: [used(1000), used(1)] },
    { libraryUsdPerDay: 0.001 },
  );
  await loop.spend.settle({ ownerUid: OWNER, workflowId: null, at: loop.clock.now() }, "x", {
    token: "x",
    epoch: 1,
    tokens: 1000,
    microUsd: 1000,
    calls: 1,
    unpriced: 0,
    model: null,
    asOf: null,
  });
  expect(await loop.enqueue("/beta", { n: 1 })).toMatchObject({ status: "waiting", why: "day_budget" });
  expect(await loop.pass()).toMatchObject({ started: 0, skipped: { day_budget: 1 } });
  expect((await loop.queue.readLane(laneKey(OWNER, ids[1]!))).wait).toEqual({
    reason: "day_budget",
    untilAt: MIDNIGHT,
  });
  loop.clock.advance(MIDNIGHT - loop.clock.now());
  await loop.fire();
  expect((await loop.pass()).started).toBe(1);
});

const aRun = (n: number) =>
  ({ runId: `run_x${n}`, ownerUid: OWNER, workflowId: "memo_x", epoch: 1, revision: 1 }) as Run;
const call = (before: Spent = NOTHING_SPENT, element: number | null = null) => ({
  stepId: "draft",
  promptTokens: 0,
  maxOutputTokens: 0,
  element,
  before,
  startedAt: MIDNIGHT - 1,
});

test("a breach says which day it is of, its limit, what is spent and what the call may take", async () => {
  const { loop } = await given(["/alpha"], {});
  const limits = (n: number, more: object = {}) =>
    createDayLimits({ ...loop.runner, libraryUsdPerDay: 0.5, ...more }, aRun(n), {
      index: 1,
      day: { tokens: 1000, usd: null },
      allowance: NOTHING_ALLOWED,
    });
  // Of a run that is at work, as its head says.
  const runs = { ...loop.runs, readHead: async () => ({ status: "running" }) as Run };
  await limits(1, { runs }).take(call(), { tokens: 600, microUsd: 300_000 });
  await expect(limits(2, { runs }).take(call(), { tokens: 401, microUsd: 1 })).rejects.toMatchObject({
    code: "budget_exhausted",
    details: { of: "workflow day", unit: "tokens", limit: 1000, spent: 600, estimate: 401, stepId: "draft" },
  });
  await expect(limits(3, { runs }).take(call(), { tokens: 1, microUsd: 200_001 })).rejects.toMatchObject({
    message: expect.stringContaining("$0.30 of $0.50 per day for the whole library"),
    details: { of: "library day", unit: "microUsd", limit: 500_000, spent: 300_000, estimate: 200_001 },
  });
  await expect(limits(4, { runs }).take(call(), { tokens: 1, microUsd: null })).rejects.toMatchObject({
    details: { of: "library day", unit: "microUsd", limit: 500_000, estimate: null },
  });
});

test("what was left is found behind thirty reservations of runs that are at work", async () => {
  const { loop } = await given(["/alpha"], {});
  const day = { ownerUid: OWNER, workflowId: null, at: MIDNIGHT - 1 };
  const { item } = await loop.enqueue("/alpha", { n: 1 });
  for (let n = 0; n < 30; n++) {
    await loop.runs.putHead(newHead(item, `run_work${n}`, MIDNIGHT - 1));
    await loop.spend.reserve(
      day,
      `work${n}`,
      { runId: `run_work${n}`, epoch: 0, tokens: 1, microUsd: 10 },
      null,
    );
  }
  await loop.spend.reserve(day, "left", { runId: "run_gone", epoch: 1, tokens: 1, microUsd: 700 }, null);
  const limits = createDayLimits({ ...loop.runner, libraryUsdPerDay: 0.001 }, aRun(1), {
    index: 1,
    day: { tokens: null, usd: null },
    allowance: NOTHING_ALLOWED,
  });
  await limits.take(call(), { tokens: 1, microUsd: 500 });
  const { committed, reserved } = await rowOf(loop, null, MIDNIGHT - 1);
  expect([committed.microUsd, reserved.size]).toEqual([800, 31]);
});

test("a step that a person allowed once passes the days' limits, and counts", async () => {
  const { loop } = await given(["/alpha"], {});
  const allowed = createDayLimits({ ...loop.runner, libraryUsdPerDay: 0.5 }, aRun(1), {
    index: 1,
    day: { tokens: 1000, usd: null },
    allowance: new Set(["workflow day", "library day"] as const),
  });
  await allowed.take(call(), { tokens: 5000, microUsd: 900_000 });
  expect((await rowOf(loop, "memo_x", MIDNIGHT - 1)).committed.tokens).toBe(5000);
  expect((await rowOf(loop, null, MIDNIGHT - 1)).committed.microUsd).toBe(900_000);
});

test("elements of one step reserve apart, and without a limit on a day nothing is reserved", async () => {
  const { loop } = await given(["/alpha"], {});
  const limits = (libraryUsdPerDay: number | null) =>
    createDayLimits({ ...loop.runner, libraryUsdPerDay }, aRun(1), {
      index: 1,
      day: { tokens: null, usd: null },
      allowance: NOTHING_ALLOWED,
    });
  for (const element of [0, 1, 0])
    await limits(1).take(call(NOTHING_SPENT, element), { tokens: 1, microUsd: 10 });
  expect((await rowOf(loop, null, MIDNIGHT - 1)).committed.microUsd).toBe(20);
  engine.resetCounts();
  await limits(null).take(call(), { tokens: 1, microUsd: 10 });
  // A free call takes nothing of a limit in money.
  await limits(1).take(call(), { tokens: 1, microUsd: 0 });
  expect(engine.counts()).toEqual({});
});
