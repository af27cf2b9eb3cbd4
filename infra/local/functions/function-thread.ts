import { parentPort, workerData } from "node:worker_threads";
import { pathToFileURL } from "node:url";
import { lambdaContext } from "./lambda-context.ts";

/** What a function's thread is told at its start. */
export type ThreadStart = { name: string; file: string; memoryMb: number };

/** One event for it; the texts are JSON, so that nothing passes here that would not pass on AWS. */
export type ThreadEvent = { event: string; requestId: string; timeoutMs: number };

/** What it says: once that it is ready, then one answer for each event. */
export type ThreadMessage =
  | { kind: "ready" }
  | { kind: "answer"; payload: string }
  | { kind: "threw"; message: string };

const start = workerData as ThreadStart;
const port = parentPort;
if (!port) throw new Error("function-thread.ts runs as a worker thread of the local host");
const say = (message: ThreadMessage) => port.postMessage(message);

const loaded = (await import(pathToFileURL(start.file).href)) as {
  handler?: (event: unknown, context: unknown) => unknown;
};
const { handler } = loaded;
if (typeof handler !== "function") throw new Error(`${start.file} exports no function named handler`);

port.on("message", async ({ event, requestId, timeoutMs }: ThreadEvent) => {
  const context = lambdaContext({ ...start, requestId, deadlineMs: Date.now() + timeoutMs });
  try {
    const answer: unknown = await handler(JSON.parse(event), context);
    say({ kind: "answer", payload: JSON.stringify(answer) ?? "null" });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    say({
      kind: "threw",
      message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    });
  }
});
say({ kind: "ready" });
