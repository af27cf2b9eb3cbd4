import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetItemCommand, PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import {
  ChangeMessageVisibilityCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import dynaliteDb from "dynalite/db/index.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startEngines, type Engines } from "../../../infra/local/engine/engines.ts";
import { createClients, ensureResources } from "../../../infra/local/engine/resources.ts";

const started: Engines[] = [];
let dataDir = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "engine-"));
});
afterEach(async () => {
  for (const engines of started.splice(0)) await engines.stop();
  rmSync(dataDir, { recursive: true });
});

async function start(afterCrash = false) {
  const engines = await startEngines({
    dataDir,
    afterCrash,
    onFailure: (error) => {
      throw error;
    },
  });
  started.push(engines);
  const clients = createClients(engines.access);
  const resources = await ensureResources(clients, engines.access);
  const stop = async () => {
    started.splice(started.indexOf(engines), 1);
    clients.dynamodb.destroy();
    clients.sqs.destroy();
    await engines.stop();
  };
  return { engines, clients, resources, stop };
}

const owned = (memoId: string) => ({
  memoKey: { S: memoId },
  part: { S: "CUR" },
  ownerUid: { S: "owner" },
  changeSeq: { N: "1" },
});

const status = (endpoint: string, headers: Record<string, string>) =>
  new Promise<number>((resolve, reject) => {
    const asked = request(endpoint, { method: "POST", headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject).end();
  });

test("keeps items and messages over a restart, and delivers again what was in flight", async () => {
  const first = await start();
  await first.clients.dynamodb.send(
    new PutItemCommand({ TableName: first.resources.tables.lanes, Item: { lane: { S: "a#m" } } }),
  );
  const QueueUrl = first.resources.queueUrls.wake;
  await first.clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "bell" }));
  await first.clients.sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 900 }));
  await first.stop();

  const second = await start();
  const { Item } = await second.clients.dynamodb.send(
    new GetItemCommand({ TableName: second.resources.tables.lanes, Key: { lane: { S: "a#m" } } }),
  );
  expect(Item).toEqual({ lane: { S: "a#m" } });
  const { Messages } = await second.clients.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: second.resources.queueUrls.wake,
      MessageSystemAttributeNames: ["ApproximateReceiveCount"],
    }),
  );
  expect(Messages?.map(({ Body, Attributes }) => [Body, Attributes])).toEqual([
    ["bell", { ApproximateReceiveCount: "2" }],
  ]);
});

test("makes the indexes agree with their tables after a crash", async () => {
  const first = await start();
  const TableName = first.resources.tables.memos;
  for (const memoId of ["kept", "unindexed", "phantom"]) {
    await first.clients.dynamodb.send(new PutItemCommand({ TableName, Item: owned(memoId) }));
  }
  await first.stop();

  const { db } = dynaliteDb.create({ path: join(dataDir, "dynamodb") });
  await db.open();
  for await (const [key, value] of db.iterator({ gte: "i", lt: "j" })) {
    const { memoKey } = value as { memoKey: { S: string } };
    const lost = key.startsWith("index-") ? "unindexed" : "phantom";
    if (memoKey.S === lost) await db.batch([{ type: "del", key }]);
  }
  await db.close();

  const list = async (started: Awaited<ReturnType<typeof start>>) => {
    const { Items = [] } = await started.clients.dynamodb.send(
      new QueryCommand({
        TableName,
        IndexName: "byOwner",
        KeyConditionExpression: "ownerUid = :owner",
        ExpressionAttributeValues: { ":owner": { S: "owner" } },
      }),
    );
    return Items.map((item) => item["memoKey"]?.S).sort();
  };
  const broken = await start();
  expect(await list(broken)).toEqual(["kept", "phantom"]);
  await broken.stop();
  expect(await list(await start(true))).toEqual(["kept", "unindexed"]);
});

test("counts operations by engine until they are reset", async () => {
  const { engines, clients, resources } = await start();
  engines.resetCounts();
  await clients.dynamodb.send(
    new GetItemCommand({ TableName: resources.tables.lanes, Key: { lane: { S: "none" } } }),
  );
  await clients.sqs.send(new SendMessageCommand({ QueueUrl: resources.queueUrls.run, MessageBody: "bell" }));
  expect(engines.counts()).toEqual({ dynamodb: { GetItem: 1 }, sqs: { SendMessage: 1 } });
  engines.resetCounts();
  expect(engines.counts()).toEqual({ dynamodb: {}, sqs: {} });
});

test("moves a message to the dead-letter queue after the declared number of deliveries", async () => {
  const { clients, resources } = await start();
  const receive = (QueueUrl: string) =>
    clients.sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0 }));
  await clients.sqs.send(
    new SendMessageCommand({ QueueUrl: resources.queueUrls.run, MessageBody: "poison" }),
  );
  for (let delivery = 1; delivery <= 20; delivery++) await receive(resources.queueUrls.run);
  const { Messages = [] } = await receive(resources.deadLetterUrls.run);
  expect(Messages.map((message) => message.Body)).toContain("poison");
});

test("a message made visible at once is delivered again, also after a restart", async () => {
  const first = await start();
  const QueueUrl = first.resources.queueUrls.run;
  await first.clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "again" }));
  const { Messages: received } = await first.clients.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  const ReceiptHandle = received?.[0]?.ReceiptHandle;
  await first.clients.sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
  );
  await first.stop();
  const second = await start();
  const { Messages } = await second.clients.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: second.resources.queueUrls.run }),
  );
  expect(Messages?.map(({ Body }) => Body)).toEqual(["again"]);
});

test("a receive whose caller is gone keeps no message from the next one", async () => {
  const { clients, engines, resources } = await start();
  const QueueUrl = resources.queueUrls.wake;
  engines.resetCounts();
  const leaving = new AbortController();
  const waiting = clients.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
    abortSignal: leaving.signal,
  });
  const ended = waiting.then(
    () => "answered",
    (error: Error) => error.name,
  );
  // It leaves once the engine has it, not after some time.
  await expect.poll(() => engines.counts().sqs["ReceiveMessage"]).toBe(1);
  leaving.abort();
  expect(await ended).toBe("AbortError");
  await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "bell" }));
  const { Messages } = await clients.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
  expect(Messages?.map(({ Body }) => Body)).toEqual(["bell"]);
});

test("a send wakes a receive that waits, long before its wait is over", { timeout: 15_000 }, async () => {
  const { clients, resources } = await start();
  const QueueUrl = resources.queueUrls.wake;
  // Left alone it would wait past this test's limit.
  const waiting = clients.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
  await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "bell" }));
  expect((await waiting).Messages).toHaveLength(1);
});

test("refuses whoever does not present this start's access key, and every web page", async () => {
  const { engines } = await start();
  const { accessKeyId, endpoints } = engines.access;
  const signed = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0`;
  for (const endpoint of Object.values(endpoints)) {
    expect(await status(endpoint, {})).toBe(403);
    expect(await status(endpoint, { authorization: signed.replace(accessKeyId, "guess") })).toBe(403);
    expect(await status(endpoint, { authorization: signed, origin: "http://evil.example" })).toBe(403);
    expect(await status(endpoint, { authorization: signed })).toBe(400);
  }
});

test("the table engine goes on after a client that leaves half way through a request", async () => {
  const { engines, clients, resources } = await start();
  const { port } = new URL(engines.access.endpoints.dynamodb);
  const authorization = `AWS4-HMAC-SHA256 Credential=${engines.access.accessKeyId}/x`;
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () => {
      socket.write(
        `POST / HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-length: 9\r\n\r\nhalf`,
      );
      socket.end(() => socket.destroy());
    });
    socket.on("close", () => resolve());
  });
  const read = await clients.dynamodb.send(
    new GetItemCommand({ TableName: resources.tables.lanes, Key: { lane: { S: "none" } } }),
  );
  expect(read.Item).toBeUndefined();
});
