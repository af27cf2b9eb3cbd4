import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunBell } from "../../../lib/queue/doorbell.ts";
import { memoHistory } from "../../../lib/memos/read.ts";
import { MAX_RECOVERY_ATTEMPTS, STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { AUTO_WORKFLOW, createLoop, OWNER, PLAIN_WORKFLOW } from "../../support/loop.ts";
import { heldReply, scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.stop());

const files = { "plain.md": PLAIN_WORKFLOW, "auto.md": AUTO_WORKFLOW };

test("two runners with the same doorbell: one lease, one model call", async () => {
  const model = scriptedModel({ draft: ["Once."] });
  const loop = createLoop(engine, { model });
  await loop.importFiles(files);
  await loop.enqueue("/plain", { topic: "same bell" });
  await loop.pass();
  const bell = loop.bells.shift() as RunBell;
  const outcomes = await Promise.all([loop.run(bell), loop.run(bell)]);
  expect(outcomes.toSorted()).toEqual(["ran", "refused"]);
  expect(model.calls).toHaveLength(1);
  expect(await loop.run(bell)).toBe("refused");
  expect(model.calls).toHaveLength(1);
});

test("O20: a runner frozen past recovery and thawed writes nothing more: one memo, by the second runner", async () => {
  const slow = heldReply("By the frozen one.");
  const loop = createLoop(engine, { model: scriptedModel({ draft: [slow.reply, "By the second."] }) });
  await loop.importFiles(files);
  const { runId } = await loop.enqueue("/auto", { topic: "frozen" });
  await loop.pass();
  const frozen = loop.run(loop.bells.shift() as RunBell);
  await slow.started;
  loop.clock.advance(STUCK_RUN_MS + 1);
  expect(await loop.recover()).toMatchObject({ recovered: 1 });
  await loop.deliver();
  const done = await loop.runs.readHead(runId);
  expect(done?.status).toBe("done");
  slow.release();
  await frozen;
  expect(await loop.runs.readHead(runId)).toEqual(done);
  const landing = done?.status === "done" ? done.landing : undefined;
  expect(await memoHistory(loop, OWNER, landing?.memoId as `memo_${string}`)).toHaveLength(1);
});

test("O21, F19, F47: a run is taken for stuck only past the limit, and a heartbeat keeps it", async () => {
  const slow = heldReply("Slowly.");
  const beats: (() => void)[] = [];
  const ticker = (everyMs: number, work: () => void) => {
    if (everyMs === 30_000) beats.push(work);
    return () => undefined;
  };
  const loop = createLoop(engine, { model: scriptedModel({ draft: [slow.reply] }), ticker });
  await loop.importFiles(files);
  const { runId } = await loop.enqueue("/plain", { topic: "slow" });
  await loop.pass();
  const running = loop.run(loop.bells.shift() as RunBell);
  await slow.started;
  loop.clock.advance(STUCK_RUN_MS);
  expect(await loop.recover()).toMatchObject({ recovered: 0 });
  const before = (await loop.runs.readHead(runId))?.heartbeatAt;
  beats[0]?.();
  await expect.poll(async () => (await loop.runs.readHead(runId))?.heartbeatAt).toBeGreaterThan(before ?? 0);
  loop.clock.advance(STUCK_RUN_MS);
  expect(await loop.recover()).toMatchObject({ recovered: 0 });
  slow.release();
  await running;
  expect((await loop.runs.readHead(runId))?.recoveries).toBe(0);
});

test("F20, O23: a run that goes quiet again and again is recovered five times, then fails as recovery_exhausted", async () => {
  const never = Promise.withResolvers<string>();
  const model = scriptedModel(() => () => never.promise);
  const loop = createLoop(engine, { model });
  await loop.importFiles(files);
  const { runId } = await loop.enqueue("/plain", { topic: "crash loop" });
  await loop.pass();
  const abandoned: Promise<unknown>[] = [];
  let started = 0;
  const startNext = async () => {
    const bell = loop.bells.shift();
    if (bell) abandoned.push(loop.run(bell));
    started++;
    await expect.poll(() => model.calls.length).toBe(started);
  };
  await startNext();
  for (let attempt = 1; attempt <= MAX_RECOVERY_ATTEMPTS; attempt++) {
    loop.clock.advance(STUCK_RUN_MS + 1);
    expect(await loop.recover()).toMatchObject({ recovered: 1, exhausted: 0 });
    await startNext();
  }
  loop.clock.advance(STUCK_RUN_MS + 1);
  expect(await loop.recover()).toMatchObject({ recovered: 0, exhausted: 1 });
  expect(await loop.runs.readHead(runId)).toMatchObject({
    status: "failed",
    error: { code: "recovery_exhausted", class: "recovery_exhausted" },
  });
  expect(model.calls).toHaveLength(1 + MAX_RECOVERY_ATTEMPTS);
  const run = await loop.runs.readHead(runId);
  const lane = `${OWNER}#${run?.workflowId ?? ""}` as const;
  expect((await loop.queue.readItem(lane, run?.itemKey ?? ""))?.status).toBe("failed");
  const rung = loop.rung.length;
  loop.clock.advance(86_400_000);
  expect(await loop.recover()).toMatchObject({ recovered: 0, redispatched: 0, exhausted: 0 });
  expect(loop.rung).toHaveLength(rung);
  never.resolve("too late");
  await Promise.all(abandoned);
  expect((await loop.runs.readHead(runId))?.status).toBe("failed");
});

test("a run whose bell was lost is rung again with the same ticket, and that is no recovery", async () => {
  const loop = createLoop(engine, { model: scriptedModel({ draft: ["At last."] }) });
  await loop.importFiles(files);
  const { runId } = await loop.enqueue("/plain", { topic: "lost bell" });
  await loop.pass();
  loop.bells.splice(0);
  loop.clock.advance(STUCK_RUN_MS + 1);
  expect(await loop.recover()).toMatchObject({ redispatched: 1, recovered: 0 });
  expect(loop.bells).toMatchObject([{ runId, epoch: 0 }]);
  await loop.deliver();
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "suspended", recoveries: 0 });
});

test("a hold past its time ends as expired by the system, without a word of a person", async () => {
  const loop = createLoop(engine, { model: scriptedModel({ draft: ["Nobody looks."] }) });
  await loop.importFiles(files);
  const { runId, run } = await loop.givenHeldRun("/plain", { topic: "expires" });
  loop.clock.advance(run.gate.expiresAt - loop.clock.now() - 1);
  expect(await loop.recover()).toMatchObject({ expired: 0 });
  loop.clock.advance(1);
  expect(await loop.recover()).toMatchObject({ expired: 1 });
  expect(await loop.runs.readHead(runId)).toMatchObject({
    status: "cancelled",
    gate: { decision: { verdict: "expire", by: "system" } },
  });
});
