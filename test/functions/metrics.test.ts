import type { SQSEvent } from "aws-lambda";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { meterOf, passMetrics, recoverMetrics, runMeterOf } from "../../functions/meter-wiring.ts";
import { batchHandler } from "../../functions/middleware/batch.ts";
import { createMetrics } from "../../functions/middleware/metrics.ts";
import { createHandler as createPassHandler } from "../../functions/schedule-pass.ts";
import { createHandler as createRecoverHandler } from "../../functions/schedule-recover.ts";
import { METRICS } from "../../lib/core/metrics.ts";
import { emptyReport } from "../../lib/runs/pass-report.ts";
import { runTicket } from "../../lib/runs/execute.ts";
import { MAX_RECOVERY_ATTEMPTS, STUCK_RUN_MS } from "../../lib/runs/recover.ts";
import { WakeBell } from "../../lib/queue/doorbell.ts";
import { emfFaults, emfLines, givenMetrics } from "../support/emf.ts";
import { startEngine, type Engine } from "../support/engine.ts";
import { AUTO_WORKFLOW, createLoop, PLAIN_WORKFLOW, type Loop } from "../support/loop.ts";
import { scriptedModel } from "../support/scripted-model.ts";

let engine: Engine;
let loop: Loop;
beforeEach(async () => {
  engine = await startEngine();
  loop = createLoop(engine, { model: scriptedModel(() => "A draft.") });
  await loop.importFiles({ "auto.md": AUTO_WORKFLOW, "plain.md": PLAIN_WORKFLOW });
});
afterEach(() => engine.stop());

const log = { info() {}, warn() {}, error() {} };
const eventOf = (bodies: readonly string[]) =>
  ({ Records: bodies.map((body, at) => ({ messageId: `m${at}`, body })) }) as SQSEvent;

/** The functions' own handlers over the loop, with what they emit. */
function givenRounds() {
  const { metrics, emitted } = givenMetrics();
  const passMeter = meterOf({ metrics, clock: loop.clock }, passMetrics);
  const recoverMeter = meterOf({ metrics, clock: loop.clock }, recoverMetrics);
  return {
    emitted,
    pass: createPassHandler({
      ...passMeter.over(loop.passDeps),
      fire: async () => emptyReport(),
      log,
      measure: passMeter.measure,
    }),
    recover: createRecoverHandler({
      ...recoverMeter.over(loop.recoverDeps),
      log,
      measure: recoverMeter.measure,
    }),
  };
}

test("there are at most ten metrics", () => {
  expect(Object.keys(METRICS).length).toBeLessThanOrEqual(10);
});

test("F67: a line of metrics has the declared names and units, and service, stage and function alone to tell them apart", () => {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const all = Object.fromEntries(Object.keys(METRICS).map((name, at) => [name, at]));
  createMetrics({ stage: "dev", name: "schedulePass" }).emit(all);
  createMetrics({ stage: "dev", name: "queueRun" }).emit({ ModelCalls: 0 });
  spy.mockRestore();
  const lines = emfLines(written.join(""));
  expect(lines).toHaveLength(2);
  expect(lines.flatMap(emfFaults)).toEqual([]);
  expect(lines[0]).toMatchObject({ ...all, service: "mythos-loops", stage: "dev", function: "schedulePass" });
  expect(lines[1]).toMatchObject({ ModelCalls: 0, function: "queueRun" });
  const byId = structuredClone(lines[0]!);
  byId["_aws"].CloudWatchMetrics[0]!.Dimensions[0]!.push("runId");
  expect(emfFaults(byId)).toHaveLength(1);
});

test("a pass tells what it started also when that is nothing, and how long the oldest item has waited", async () => {
  const { pass, emitted } = givenRounds();
  await pass();
  expect(emitted).toEqual([{ ItemsStarted: 0, RunsFailed: 0, OldestPendingAgeMs: 0 }]);
  await loop.enqueue("/auto", { topic: "One" });
  loop.clock.advance(90_000);
  await loop.enqueue("/auto", { topic: "Two" });
  await pass();
  expect(emitted[1]).toEqual({ ItemsStarted: 2, RunsFailed: 0, OldestPendingAgeMs: 90_000 });
});

test("F20: of a run that is killed at every try each recovery is counted, and its exhaustion once", async () => {
  const { recover, emitted } = givenRounds();
  const { runId } = await loop.enqueue("/auto", { topic: "Killed" });
  await loop.pass();
  const killed = { ...loop.runner, memos: { ...loop.memos }, model: () => new Promise<never>(() => {}) };
  for (let kill = 0; kill <= MAX_RECOVERY_ATTEMPTS; kill++) {
    const bell = loop.bells.splice(0).at(-1)!;
    // A runner that takes the lease and is never heard of again.
    void runTicket(killed, bell);
    await vi.waitFor(async () => expect((await loop.runs.readHead(runId))?.leaseOwner).toBeDefined());
    loop.clock.advance(STUCK_RUN_MS + 60_000);
    await recover();
  }
  const count = (name: keyof typeof METRICS) => emitted.map((each) => each[name]);
  expect(count("RunsRecovered")).toEqual([1, 1, 1, 1, 1, 0]);
  expect(count("RunsExhausted")).toEqual([0, 0, 0, 0, 0, 1]);
  expect(count("RunsFailed")).toEqual([0, 0, 0, 0, 0, 1]);
  expect(emitted[0]!.OldestRunningAgeMs).toBeGreaterThan(STUCK_RUN_MS);
  await recover();
  expect(emitted.at(-1)).toMatchObject({ RunsExhausted: 0, RunsFailed: 0, OldestRunningAgeMs: 0 });
});

test("a hold's age is told from its first day on, and its expiry once", async () => {
  const { recover, emitted } = givenRounds();
  const { run } = await loop.givenHeldRun();
  loop.clock.advance(3_600_000);
  await recover();
  expect(emitted.at(-1)).toMatchObject({ HoldsExpired: 0 });
  expect(emitted.at(-1)!.OldestHoldAgeMs).toBeGreaterThanOrEqual(3_600_000);
  loop.clock.advance(run.status === "suspended" ? run.gate.expiresAt : 0);
  await recover();
  await recover();
  expect(emitted.map((each) => each.HoldsExpired)).toEqual([0, 1, 0]);
  expect(emitted.at(-1)!.OldestHoldAgeMs).toBe(0);
});

test("a runner tells its calls of the model, and a run that fails, for each ticket by itself", async () => {
  const { metrics, emitted } = givenMetrics();
  await loop.enqueue("/auto", { topic: "Well" });
  await loop.pass();
  const well = runMeterOf({ ...loop.runner, metrics });
  await runTicket(well.deps, loop.bells.shift()!);
  well.tell();
  expect(well.head()?.status).toBe("done");
  await loop.enqueue("/auto", { topic: "Ill" });
  await loop.pass();
  const model = () => Promise.reject(new Error("no such model"));
  const ill = runMeterOf({ ...loop.runner, model, metrics });
  await runTicket(ill.deps, loop.bells.pop()!);
  ill.tell();
  expect(ill.head()?.status).toBe("failed");
  ill.tell();
  expect(emitted).toEqual([
    { ModelCalls: 1, RunsFailed: 0 },
    { ModelCalls: 1, RunsFailed: 1 },
    { ModelCalls: 0, RunsFailed: 0 },
  ]);
});

test.each(["{}", '{"v":2}', "a".repeat(1024 * 1024)])(
  "F05: a message that is no doorbell is acknowledged and counted as one (%#)",
  async (body) => {
    const { metrics, emitted } = givenMetrics();
    const lines: unknown[] = [];
    const keeping = {
      ...log,
      warn: (message: string, fields = {}) => void lines.push({ message, ...fields }),
    };
    const handle = batchHandler({ log: keeping, metrics }, WakeBell, async () => {});
    expect(await handle(eventOf([body, '{"v":1}']))).toEqual({ batchItemFailures: [] });
    expect(emitted).toEqual([{ PoisonMessages: 1 }]);
    expect(lines).toEqual([
      { message: "poison message", messageId: "m0", bytes: body.length, digest: expect.any(String) },
    ]);
  },
);
