import { mkdirSync } from "node:fs";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { operationCounter, type OperationCounter } from "./operation-counter.ts";

/** What an engine's thread is told at its start. */
export type EngineStart = {
  dataDir: string;
  /** The earlier process did not close its engines. */
  afterCrash: boolean;
  accessKeyId: string;
  counts: SharedArrayBuffer;
};

export type EngineThread = {
  endpoint: string;
  counter: OperationCounter;
  /** Closes the engine's files and ends the thread. */
  stop(): Promise<void>;
};

/** Runs one embedded engine in a thread of its own, so that its work never holds up the gateway. */
export async function startEngineThread(
  script: "dynamodb-thread.ts" | "sqs-thread.ts",
  operations: readonly string[],
  start: Omit<EngineStart, "counts">,
  onFailure: (error: Error) => void,
): Promise<EngineThread> {
  mkdirSync(start.dataDir, { recursive: true, mode: 0o700 });
  const counter = operationCounter(operations);
  const worker = new Worker(new URL(script, import.meta.url), {
    workerData: { ...start, counts: counter.buffer } satisfies EngineStart,
  });
  let stopping = false;
  const [{ port }] = (await once(worker, "message")) as [{ port: number }];
  worker.on("error", onFailure);
  worker.on("exit", (code) => {
    if (!stopping) onFailure(new Error(`${script} ended with code ${code}`));
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    counter,
    async stop() {
      stopping = true;
      const ended = once(worker, "exit");
      worker.postMessage("stop");
      await ended;
    },
  };
}
