import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startEngines, type Engines } from "../../../infra/local/engine/engines.ts";
import { createClients, ensureResources, type Clients } from "../../../infra/local/engine/resources.ts";
import type { Outcome } from "../../../infra/local/functions/function-instance.ts";
import { startPoller } from "../../../infra/local/queue-poller.ts";

const dataDir = mkdtempSync(join(tmpdir(), "poller-"));
let engines: Engines;
let clients: Clients;
let QueueUrl = "";
beforeAll(async () => {
  engines = await startEngines({ dataDir, afterCrash: false, onFailure: () => {} });
  clients = createClients(engines.access);
  QueueUrl = (await ensureResources(clients, engines.access)).queueUrls.wake;
});
const pollers: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const poller of pollers.splice(0)) await poller.stop();
  await clients.sqs.send(new PurgeQueueCommand({ QueueUrl }));
});
afterAll(async () => {
  await engines.stop();
  rmSync(dataDir, { recursive: true });
});

const within = { timeout: 8000, interval: 10 };
const answer = (failed: string[] = []): Outcome => ({
  ok: true,
  payload: JSON.stringify({ batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) }),
});

/** A poller whose function keeps what it was given and answers as the test says. */
function givenPoller(respond: (event: SQSEvent) => Outcome | Promise<Outcome>, limits = {}) {
  const events: SQSEvent[] = [];
  const poller = startPoller({
    sqs: clients.sqs,
    queue: { name: "wake", url: QueueUrl, region: "us-east-1" },
    batchSize: 10,
    maxConcurrency: 1,
    visibilitySec: 60,
    ...limits,
    invoke: async (event) => {
      events.push(event as SQSEvent);
      return respond(event as SQSEvent);
    },
    onError: (error) => {
      throw error;
    },
  });
  pollers.push(poller);
  const bodies = () => events.map((event) => event.Records.map((record) => record.body));
  return { events, bodies, poller };
}

const send = (...bodies: string[]) =>
  clients.sqs.send(
    new SendMessageBatchCommand({
      QueueUrl,
      Entries: bodies.map((MessageBody, at) => ({ Id: String(at), MessageBody })),
    }),
  );

async function left(): Promise<number> {
  const names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
  const { Attributes = {} } = await clients.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name]), 0);
}

test("hands a message over as an SQS event and deletes it afterwards", async () => {
  const { events } = givenPoller(() => answer());
  await clients.sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: '{"v":1}',
      MessageAttributes: { kind: { DataType: "String", StringValue: "bell" } },
    }),
  );
  await expect.poll(left, within).toBe(0);
  expect(events).toEqual([
    {
      Records: [
        {
          messageId: expect.stringMatching(/./),
          receiptHandle: expect.stringMatching(/./),
          body: '{"v":1}',
          attributes: {
            ApproximateReceiveCount: "1",
            SentTimestamp: expect.stringMatching(/^\d{13}$/),
            SenderId: "000000000000",
            ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
          },
          messageAttributes: { kind: { dataType: "String", stringValue: "bell" } },
          md5OfBody: expect.stringMatching(/^[0-9a-f]{32}$/),
          eventSource: "aws:sqs",
          eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:wake",
          awsRegion: "us-east-1",
        },
      ],
    },
  ]);
});

test("only the messages that the function names come again", async () => {
  let calls = 0;
  const failFirstTime = (event: SQSEvent) => {
    const bad = event.Records.filter(({ body }) => body === "bad" && calls === 0);
    calls += 1;
    return answer(bad.map(({ messageId }) => messageId));
  };
  await send("good", "bad", "fine");
  const { bodies } = givenPoller(failFirstTime);
  await expect.poll(left, within).toBe(0);
  expect(bodies()).toEqual([["good", "bad", "fine"], ["bad"]]);
});

test.each<[string, Outcome]>([
  ["fails", { ok: false, failure: "crash", message: "crashed" }],
  ["names a message that it was not given", answer(["another"])],
])("a whole batch comes again when the function %s", async (_, first) => {
  let calls = 0;
  await send("a", "b");
  const { bodies } = givenPoller(() => (++calls === 1 ? first : answer()));
  await expect.poll(left, within).toBe(0);
  expect(bodies()[0]).toEqual(["a", "b"]);
  // They may come again one by one.
  expect(bodies().flat().sort()).toEqual(["a", "a", "b", "b"]);
});

test("no more batches than the limit are with the function at once, none larger than its size", async () => {
  let running = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  await send("1", "2", "3", "4", "5", "6", "7");
  const { bodies } = givenPoller(
    async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => waiting.push(resolve));
      running -= 1;
      return answer();
    },
    { batchSize: 2, maxConcurrency: 2 },
  );
  await expect.poll(() => waiting.length, within).toBe(2);
  for (let ended = 0; ended < 4; ended++) {
    await expect.poll(() => waiting.length, within).toBeGreaterThan(0);
    waiting.shift()?.();
  }
  await expect.poll(left, within).toBe(0);
  expect(most).toBe(2);
  expect(bodies().map((batch) => batch.length)).toEqual([2, 2, 2, 1]);
});

test("stopping ends a waiting receive at once and waits for a batch that runs", async () => {
  let finish = () => {};
  await send("last");
  const { poller, events } = givenPoller(async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    return answer();
  });
  await expect.poll(() => events.length, within).toBe(1);
  const stopped = poller.stop();
  finish();
  await stopped;
  expect(await left()).toBe(0);
});
