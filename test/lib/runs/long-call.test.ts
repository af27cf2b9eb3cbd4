import { afterAll, beforeAll, expect, test } from "vitest";
import { MINUTE_MS } from "../../../lib/core/duration.ts";
import { systemClock } from "../../../lib/core/clock.ts";
import { runTicket } from "../../../lib/runs/execute.ts";
import { recover, STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { agent, AUTO_WORKFLOW, createLoop } from "../../support/loop.ts";
import { heldReply, scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

test("F19: a model call of twelve minutes is never recovered, and neither is a step of thirty", async () => {
  const slow = heldReply("After a long thought.");
  const beats: (() => void)[] = [];
  const ticker = (everyMs: number, work: () => void) => {
    if (everyMs === 30_000) beats.push(work);
    return () => undefined;
  };
  const loop = createLoop(engine, { model: scriptedModel({ draft: [slow.reply] }), ticker });
  await loop.importFiles({ "auto.md": AUTO_WORKFLOW });
  const { runId } = await loop.enqueue("/auto", { topic: "long" });
  await loop.pass();
  const running = loop.run(loop.bells.shift()!);
  await slow.started;
  for (let round = 0; round < 6; round++) {
    for (let beat = 0; beat < 10; beat++) {
      loop.clock.advance(MINUTE_MS / 2);
      beats[0]!();
      await expect
        .poll(async () => (await loop.runs.readHead(runId))?.heartbeatAt, { timeout: 20_000 })
        .toBe(loop.clock.now());
    }
    expect(await loop.recover()).toMatchObject({ recovered: 0, redispatched: 0 });
  }
  slow.release();
  await running;
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done", recoveries: 0 });
});

test("F47: one that dies in it is recovered once, on the first round past the limit, whatever that round's clock", async () => {
  const dead = heldReply("never heard");
  const loop = createLoop(engine, { model: scriptedModel({ draft: [dead.reply, "By the next one."] }) });
  await loop.importFiles({ "auto.md": AUTO_WORKFLOW }, "other");
  const by = { ...agent, ownerUid: "other" };
  const { runId } = await loop.enqueue("/auto", { topic: "dead" }, {}, by);
  await loop.pass();
  void loop.run(loop.bells.shift()!);
  await dead.started;
  loop.clock.advance(STUCK_RUN_MS);
  expect(await loop.recover()).toMatchObject({ recovered: 0 });
  loop.clock.advance(1);
  expect(await loop.recover()).toMatchObject({ recovered: 1 });
  expect(await loop.recover()).toMatchObject({ recovered: 0 });
  await loop.deliver();
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done", recoveries: 1 });
});

/** Every wait is a two-hundredth of what it is: a heartbeat every 150 ms, twelve minutes in 3.6 s. */
const SCALE = 200;
const TWELVE_MINUTES = AUTO_WORKFLOW.replace("## Policy", "## Policy\n- **Timeout** `12m`");

test("in real time, at a two-hundredth of the limits, a call longer than the limit is not recovered and a dead one is, once", async () => {
  const ticker = (everyMs: number, work: () => void) => {
    // The step's own limit: at this scale a busy machine would use it up.
    if (everyMs === 12 * MINUTE_MS) return () => undefined;
    const timer = setInterval(work, everyMs / SCALE);
    return () => clearInterval(timer);
  };
  const clock = { now: () => systemClock.now(), advance: () => undefined };
  const slow = heldReply("Slowly.");
  const dead = heldReply("never heard");
  const model = scriptedModel({ draft: [slow.reply, dead.reply, "By the next one."] });
  const loop = createLoop(engine, { model, clock, ticker });
  const round = () => recover({ ...loop.recoverDeps, stuckRunMs: STUCK_RUN_MS / SCALE });
  await loop.importFiles({ "auto.md": TWELVE_MINUTES }, "real");
  const by = { ...agent, ownerUid: "real" };
  const first = await loop.enqueue("/auto", { topic: "slow" }, {}, by);
  await loop.pass();
  const running = loop.run(loop.bells.shift()!);
  await slow.started;
  const startedAt = systemClock.now();
  let recovered = 0;
  // Past the limit, within the twelve minutes: a run without heartbeats would have been taken.
  while (systemClock.now() - startedAt < (11 * MINUTE_MS) / SCALE) recovered += (await round()).recovered;
  slow.release();
  await running;
  expect(recovered).toBe(0);
  expect(await loop.runs.readHead(first.runId)).toMatchObject({ status: "done", recoveries: 0 });

  const second = await loop.enqueue("/auto", { topic: "dead" }, {}, by);
  await loop.pass();
  // Its runner has no ticker, as if its process were gone.
  void runTicket({ ...loop.runner, ticker: () => () => undefined }, loop.bells.shift()!);
  await dead.started;
  await expect.poll(async () => (await round()).recovered, { timeout: 20_000 }).toBe(1);
  await loop.deliver();
  expect((await round()).recovered).toBe(0);
  expect(await loop.runs.readHead(second.runId)).toMatchObject({ status: "done", recoveries: 1 });
});
