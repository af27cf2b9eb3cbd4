import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startEngines, type Engines } from "../../../infra/local/engine/engines.ts";
import { createClients, ensureResources, type Clients } from "../../../infra/local/engine/resources.ts";
import { systemClock } from "../../../lib/core/clock.ts";
import { listDeadLetters } from "../../../lib/dead-letters/list.ts";
import { redriveDeadLetters } from "../../../lib/dead-letters/redrive.ts";
import { createDeadLetterStore, type QueueUrls } from "../../../lib/dead-letters/store.ts";
import { RunBell } from "../../../lib/queue/doorbell.ts";
import { startEngine } from "../../support/engine.ts";
import { createLoop, PLAIN_WORKFLOW } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

const dataDir = mkdtempSync(join(tmpdir(), "dead-"));
let engines: Engines;
let clients: Clients;
let urls: { run: QueueUrls; wake: QueueUrls };
beforeAll(async () => {
  engines = await startEngines({ dataDir, afterCrash: false, onFailure: () => {} });
  clients = createClients(engines.access);
  const { queueUrls, deadLetterUrls } = await ensureResources(clients, engines.access);
  const of = (name: "run" | "wake") => ({ source: queueUrls[name], deadLetters: deadLetterUrls[name] });
  urls = { run: of("run"), wake: of("wake") };
});
beforeEach(async () => {
  const every = Object.values(urls).flatMap(({ source, deadLetters }) => [source, deadLetters]);
  for (const QueueUrl of every) await clients.sqs.send(new PurgeQueueCommand({ QueueUrl }));
});
afterAll(async () => {
  await engines.stop();
  rmSync(dataDir, { recursive: true });
});

const deps = (sqs: SQSClient = clients.sqs) => ({
  deadLetters: createDeadLetterStore(sqs, urls),
  clock: systemClock,
});
const put = (QueueUrl: string, MessageBody: string) =>
  clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));

/** Every message of a queue, taken out. */
async function taken(QueueUrl: string): Promise<string[]> {
  const bodies: string[] = [];
  for (;;) {
    const { Messages = [] } = await clients.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) return bodies;
    for (const { Body = "", ReceiptHandle } of Messages) {
      bodies.push(Body);
      await clients.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}

const bell = (epoch: number, run = "0") =>
  JSON.stringify({ v: 1, runId: `run_${run.repeat(20)}-${"1".repeat(24)}-1`, epoch });

test("a list shows ids, epoch, deliveries and age, and takes nothing away", async () => {
  await put(urls.run.deadLetters, bell(3));
  const secret = `{"v":2,"text":"${"a secret ".repeat(20)}"}`;
  await put(urls.run.deadLetters, secret);
  const listed = await listDeadLetters(deps(), "run");
  expect(listed).toMatchObject({ queue: "run", count: 2 });
  expect(listed.messages).toHaveLength(2);
  expect(listed.messages.find(({ runId }) => runId !== null)).toEqual({
    messageId: expect.any(String),
    runId: `run_${"0".repeat(20)}-${"1".repeat(24)}-1`,
    epoch: 3,
    receivedCount: 1,
    ageMs: expect.any(Number),
  });
  expect(listed.messages.find(({ runId }) => runId === null)).toMatchObject({
    unreadable: { bytes: secret.length, digest: expect.any(String) },
  });
  expect(JSON.stringify(listed)).not.toContain("secret");
  expect(await listDeadLetters(deps(), "run")).toMatchObject({ count: 2 });
  expect(await listDeadLetters(deps(), "wake")).toEqual({ queue: "wake", count: 0, messages: [] });
  expect((await taken(urls.run.deadLetters)).sort()).toEqual([bell(3), secret].sort());
});

test("a list shows at most ten of many, each once, and counts them all", async () => {
  for (let epoch = 0; epoch < 25; epoch++) await put(urls.run.deadLetters, bell(epoch));
  const { count, messages } = await listDeadLetters(deps(), "run");
  expect(count).toBe(25);
  expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(10);
});

test("a redrive sends no more than it was asked for, each once, and says what is left", async () => {
  for (let epoch = 0; epoch < 25; epoch++) await put(urls.run.deadLetters, bell(epoch));
  expect(await redriveDeadLetters(deps(), "run", 12)).toEqual({
    queue: "run",
    redriven: 12,
    failed: 0,
    left: 13,
  });
  expect(await redriveDeadLetters(deps(), "run")).toMatchObject({ redriven: 10, left: 3 });
  expect(await redriveDeadLetters(deps(), "run", 100)).toMatchObject({ redriven: 3, left: 0 });
  const back = (await taken(urls.run.source)).map((body) => RunBell.parse(JSON.parse(body)).epoch);
  expect(back.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, epoch) => epoch));
  expect(await taken(urls.wake.source)).toEqual([]);
});

test("one that cannot be sent stays where it is, and the others go; one that cannot be deleted is only doubled", async () => {
  for (let epoch = 0; epoch < 3; epoch++) await put(urls.run.deadLetters, bell(epoch));
  const failing = new Proxy(clients.sqs, {
    get: (target, key) =>
      key === "send"
        ? async (command: object) => {
            const { MessageBody } = (command as { input: { MessageBody?: string } }).input;
            const isRefused = MessageBody === bell(1) || command instanceof DeleteMessageCommand;
            if (isRefused) throw new Error("refused");
            return clients.sqs.send(command as never);
          }
        : (Reflect.get(target, key) as unknown),
  });
  expect(await redriveDeadLetters(deps(failing), "run")).toMatchObject({ redriven: 2, failed: 1 });
  expect((await taken(urls.run.source)).sort()).toEqual([bell(0), bell(2)]);
  expect(await listDeadLetters(deps(), "run")).toMatchObject({ count: 3, messages: [{ epoch: 1 }] });
});

test.each([
  ["the older ticket first", [0, 1]],
  ["the newer ticket first", [1, 0]],
  ["two copies of one ticket", [0, 0]],
])("F13: redriving both copies ends as redriving one: %s", async (_order, epochs) => {
  const engine = await startEngine();
  try {
    const model = scriptedModel(() => "A draft.");
    const loop = createLoop(engine, { model });
    await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
    const { runId } = await loop.enqueue("/plain", { topic: "redriven" });
    await loop.pass();
    loop.bells.splice(0);
    const ring = async () => {
      expect(await redriveDeadLetters(deps(), "run", 1)).toMatchObject({ redriven: 1 });
      for (const body of await taken(urls.run.source)) loop.bells.push(RunBell.parse(JSON.parse(body)));
      await loop.deliver();
    };
    for (const epoch of epochs) {
      await put(urls.run.deadLetters, JSON.stringify({ v: 1, runId, epoch }));
      await ring();
    }
    const run = await loop.runs.readHead(runId);
    expect(run).toMatchObject({ status: "suspended", epoch: 1, holdSeq: 1, recoveries: 0 });
    expect(model.calls).toHaveLength(1);
    expect(await listDeadLetters(deps(), "run")).toMatchObject({ count: 0 });
  } finally {
    await engine.stop();
  }
});
