import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetQueueAttributesCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Log } from "../../functions/middleware/log.ts";
import { createHandler } from "../../functions/queue-run.ts";
import { createHandler as createWakeHandler } from "../../functions/queue-wake.ts";
import { startEngines } from "../../infra/local/engine/engines.ts";
import { createClients, ensureResources } from "../../infra/local/engine/resources.ts";
import { startPoller } from "../../infra/local/queue-poller.ts";
import { AppError } from "../../lib/core/errors.ts";
import type { RunStore } from "../../lib/runs/store.ts";
import { startEngine, type Engine } from "../support/engine.ts";
import { agent, AUTO_WORKFLOW, createLoop, type Loop } from "../support/loop.ts";
import { scriptedModel } from "../support/scripted-model.ts";

let engine: Engine;
let loop: Loop;
const model = scriptedModel(() => "A draft.");
beforeEach(async () => {
  engine = await startEngine();
  loop = createLoop(engine, { model });
});
afterEach(() => engine.stop());

/** Every line that is logged, as text. */
function givenLog() {
  const lines: string[] = [];
  const write =
    (level: string): Log["info"] =>
    (message, fields) =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  return { lines, log: { info: write("info"), warn: write("warn"), error: write("error") } };
}

const context = { getRemainingTimeInMillis: () => 900_000 } as Context;
const eventOf = (bodies: readonly string[]): SQSEvent =>
  ({ Records: bodies.map((body, at) => ({ messageId: `m${at + 1}`, body })) }) as SQSEvent;

async function givenRuns(topics: readonly string[], by = agent): Promise<string[]> {
  await loop.importFiles({ "auto.md": AUTO_WORKFLOW }, by.ownerUid);
  const runIds: string[] = [];
  for (const topic of topics) runIds.push((await loop.enqueue("/auto", { topic }, {}, by)).runId);
  await loop.pass();
  loop.bells.splice(0);
  return runIds;
}
const bellOf = (runId: string) => JSON.stringify({ v: 1, runId, epoch: 0 });

/** A store that does not answer when one run is to be leased. */
function failingFor(runId: string, times: number): { runs: RunStore; asked(): number } {
  let asked = 0;
  const runs: RunStore = {
    ...loop.runs,
    async writeHead(id, write) {
      if (id === runId && write.name.startsWith("L1") && ++asked <= times) {
        throw new AppError("storage_unavailable", "503", { operation: write.name, requestId: undefined });
      }
      return loop.runs.writeHead(id, write);
    },
  };
  return { runs, asked: () => asked };
}

test("F03: a message that meets a 5xx before its lease comes back alone; the other two runs advance once", async () => {
  const [first, second, third] = (await givenRuns(["one", "two", "three"])) as [string, string, string];
  const { log } = givenLog();
  const handle = createHandler({ ...loop.runner, ...failingFor(second, 1), log });
  const answer = await handle(eventOf([first, second, third].map(bellOf)), context);
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: "m2" }] });
  expect(await loop.runs.readHeads([first, second, third])).toMatchObject([
    { status: "done", epoch: 1 },
    { status: "running", epoch: 0 },
    { status: "done", epoch: 1 },
  ]);
  // The whole batch again, as a queue may deliver it: what has run does not run twice.
  const calls = model.calls.length;
  expect(await handle(eventOf([first, second, third].map(bellOf)), context)).toEqual({
    batchItemFailures: [],
  });
  expect(model.calls).toHaveLength(calls + 1);
  expect(await loop.runs.readHead(second)).toMatchObject({ status: "done", epoch: 1, recoveries: 0 });
});

const POISON: readonly (readonly [what: string, body: string])[] = [
  ["an empty object", "{}"],
  ["another version", '{"v":2,"runId":"run_1","epoch":0}'],
  ["1 MB of a", "a".repeat(1024 * 1024)],
  ["nothing", ""],
  ["null", "null"],
  ["a run that is no run id", '{"v":1,"runId":"memo_1","epoch":0}'],
  ["an epoch below zero", `{"v":1,"runId":"run_${"0".repeat(20)}","epoch":-1}`],
  ["content beside the ids", `{"v":1,"runId":"run_${"0".repeat(20)}","epoch":0,"text":"a secret"}`],
  ["deep brackets", "[".repeat(100_000)],
];

test.each(POISON)(
  "F05: %s as a doorbell is acknowledged and counted, and the log has a digest of it",
  async (_what, body) => {
    const [good] = (await givenRuns(["good"])) as [string];
    const { lines, log } = givenLog();
    const handlers: ((event: SQSEvent) => Promise<SQSBatchResponse>)[] = [
      (event) => createHandler({ ...loop.runner, log })(event, context),
      createWakeHandler({ ...loop.passDeps, log }),
    ];
    for (const handle of handlers) {
      lines.splice(0);
      expect(await handle(eventOf([body, bellOf(good), body]))).toEqual({ batchItemFailures: [] });
      const poison = lines.filter((line) => line.startsWith("warn poison message "));
      expect(poison.length).toBeGreaterThanOrEqual(2);
      expect(poison[0]).toMatch(/"messageId":"m1","bytes":\d+,"digest":"[0-9a-f]+"/);
      expect(lines.join("\n")).not.toContain("secret");
      expect(lines.every((line) => line.length < 1000)).toBe(true);
    }
    // The good one between them was followed.
    expect(await loop.runs.readHead(good)).toMatchObject({ status: "done" });
  },
);

test("F17: a run that fails on every delivery does not hold up another owner's", async () => {
  const [stuck] = (await givenRuns(["stuck"])) as [string];
  const [free] = (await givenRuns(["free"], { ...agent, ownerUid: "another" })) as [string];
  const failing = failingFor(stuck, Infinity);
  const { log } = givenLog();
  const handle = createHandler({ ...loop.runner, runs: failing.runs, log });
  const dataDir = mkdtempSync(join(tmpdir(), "f17-"));
  const engines = await startEngines({ dataDir, afterCrash: false, onFailure: () => {} });
  try {
    const { sqs } = createClients(engines.access);
    const { queueUrls, deadLetterUrls } = await ensureResources(
      createClients(engines.access),
      engines.access,
    );
    // In this order, and one at a time, as the runner's queue is bound.
    for (const runId of [stuck, free]) {
      await sqs.send(new SendMessageCommand({ QueueUrl: queueUrls.run, MessageBody: bellOf(runId) }));
    }
    const poller = startPoller({
      sqs,
      queue: { name: "run", url: queueUrls.run, region: "us-east-1" },
      batchSize: 1,
      maxConcurrency: 1,
      visibilitySec: 60,
      invoke: async (event) => ({
        ok: true,
        payload: JSON.stringify(await handle(event as SQSEvent, context)),
      }),
      onError(error) {
        throw error;
      },
    });
    await expect.poll(async () => (await loop.runs.readHead(free))?.status, { timeout: 20_000 }).toBe("done");
    expect(failing.asked()).toBeGreaterThanOrEqual(1);
    expect(await loop.runs.readHead(stuck)).toMatchObject({ status: "running", epoch: 0 });
    await poller.stop();
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: deadLetterUrls.run,
        AttributeNames: ["ApproximateNumberOfMessages"],
      }),
    );
    expect(Attributes).toEqual({ ApproximateNumberOfMessages: "0" });
  } finally {
    await engines.stop();
    rmSync(dataDir, { recursive: true });
  }
});
