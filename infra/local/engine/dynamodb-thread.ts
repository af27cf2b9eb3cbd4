import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import dynalite from "dynalite";
import { addIndexes } from "./add-indexes.ts";
import { isFromThisHost, operationOf } from "./engine-guard.ts";
import type { EngineStart } from "./engine-thread.ts";
import { DYNAMODB_OPERATIONS, operationCounter } from "./operation-counter.ts";
import { rebuildIndexes } from "./rebuild-indexes.ts";

const start = workerData as EngineStart;
const port = parentPort;
if (!port) throw new Error("dynamodb-thread.ts runs as a worker thread of the local host");

await addIndexes(start.dataDir);
if (start.afterCrash) await rebuildIndexes(start.dataDir);
const counter = operationCounter(DYNAMODB_OPERATIONS, start.counts);
const server = dynalite({ path: start.dataDir, createTableMs: 0 });

const listeners = server.listeners("request") as ((q: IncomingMessage, s: ServerResponse) => void)[];
server.removeAllListeners("request");
server.on("request", (request: IncomingMessage, response: ServerResponse) => {
  if (!isFromThisHost(request.headers, start.accessKeyId)) {
    response.writeHead(403).end();
    return;
  }
  counter.add(operationOf(request.headers));
  surviveAborts(request);
  for (const listener of listeners) listener(request, response);
});

await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port: listening } = server.address() as AddressInfo;
await waitUntilOpen(`http://127.0.0.1:${listening}`);
port.postMessage({ port: listening });
port.once("message", () => {
  server.closeAllConnections();
  server.close(() => port.close());
});

/** The engine throws when a client leaves half way, as a function does whose thread is ended: not a reason to stop. */
function surviveAborts(request: IncomingMessage): void {
  const on = request.on.bind(request);
  request.on = (event: string, listener: (...values: never[]) => void) =>
    event === "error" ? on("error", () => {}) : on(event, listener as (...values: unknown[]) => void);
}

/** The engine listens before its files are open, and until then a list of tables ends its thread; a read waits. */
async function waitUntilOpen(endpoint: string): Promise<void> {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "DynamoDB_20120810.DescribeTable",
      "x-amz-date": "20260101T000000Z",
      authorization: `AWS4-HMAC-SHA256 Credential=${start.accessKeyId}/x, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify({ TableName: "none" }),
  });
  const text = await response.text();
  if (!text.includes("ResourceNotFoundException")) throw new Error(`the table engine did not open: ${text}`);
  counter.reset();
}
