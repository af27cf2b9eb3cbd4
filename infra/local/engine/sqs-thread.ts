import { parentPort, workerData } from "node:worker_threads";
import { buildApp, type BuildAppOptions } from "fauxqs";
import { isFromThisHost, operationOf } from "./engine-guard.ts";
import type { EngineStart } from "./engine-thread.ts";
import { SQS_OPERATIONS, operationCounter } from "./operation-counter.ts";

type Stores = NonNullable<BuildAppOptions["stores"]>;
type Persistence = NonNullable<Stores["sqsStore"]["persistence"]>;
type Parts = {
  SqsStore: new () => Stores["sqsStore"];
  SnsStore: new () => Stores["snsStore"];
  S3Store: new () => Stores["s3Store"];
  PersistenceManager: new (dataDir: string) => Persistence;
};

const start = workerData as EngineStart;
const port = parentPort;
if (!port) throw new Error("sqs-thread.ts runs as a worker thread of the local host");

// Its own starter listens on every network interface, so the same parts are put together here on the loopback.
const part = (path: string) => import(new URL(path, import.meta.resolve("fauxqs")).href) as Promise<Parts>;
const { SqsStore } = await part("./sqs/sqsStore.js");
const { SnsStore } = await part("./sns/snsStore.js");
const { S3Store } = await part("./s3/s3Store.js");
const { PersistenceManager } = await part("./persistence.js");

const stores: Stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
const persistence = new PersistenceManager(start.dataDir);
// Loaded before it is attached: attached, each loaded queue would be inserted again and lose its messages.
persistence.load(stores.sqsStore, stores.snsStore, stores.s3Store);
// Fails on a visibility of 0 and takes the message with it. The row may stay as received: see below.
persistence.updateMessageReady = () => {};
stores.sqsStore.persistence = persistence;
for (const queue of stores.sqsStore.allQueues()) {
  queue.persistence = persistence;
  // Whoever had received these is gone with the earlier process; they are delivered again at once.
  for (const received of queue.inflightMessages.values()) received.visibilityDeadline = 0;
}

const counter = operationCounter(SQS_OPERATIONS, start.counts);
const app = buildApp({ logger: false, host: "127.0.0.1", stores });
app.addHook("onRequest", async (request, reply) => {
  if (!isFromThisHost(request.headers, start.accessKeyId)) return reply.status(403).send();
  counter.add(operationOf(request.headers));
});
// A receive whose caller is gone still takes messages when they come; they are given back at once.
app.addHook("preSerialization", async (request, reply, payload) => {
  const { Messages = [] } = (payload ?? {}) as { Messages?: { ReceiptHandle: string }[] };
  const { QueueUrl } = (request.body ?? {}) as { QueueUrl?: string };
  if (Messages.length === 0 || !QueueUrl || !reply.raw.destroyed) return payload;
  const queue = stores.sqsStore.getQueue(QueueUrl);
  for (const { ReceiptHandle } of Messages) queue?.changeVisibility(ReceiptHandle, 0);
  return payload;
});
app.addHook("preClose", (done) => {
  persistence.close();
  done();
});
const address = await app.listen({ port: 0, host: "127.0.0.1" });
port.postMessage({ port: Number(new URL(address).port) });
port.once("message", () => void app.close().then(() => port.close()));
