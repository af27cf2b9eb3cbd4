import { join } from "node:path";
import { randomSecret } from "../../../lib/core/ids.ts";
import { startEngineThread } from "./engine-thread.ts";
import { DYNAMODB_OPERATIONS, SQS_OPERATIONS } from "./operation-counter.ts";

export type EngineName = "dynamodb" | "sqs";

/** Where SDK clients find the embedded engines, and what they must present. */
export type EngineAccess = {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  endpoints: Record<EngineName, string>;
};

export type Engines = {
  access: EngineAccess;
  /** Requests since the last reset, by engine and operation. */
  counts(): Record<EngineName, Record<string, number>>;
  resetCounts(): void;
  stop(): Promise<void>;
};

/** Must stay the same for ever: it is part of the names of the queues on disk. */
const REGION = "us-east-1";

/** Starts the embedded DynamoDB and SQS on free ports of the loopback, with their data under `dataDir`. */
export async function startEngines(options: {
  dataDir: string;
  /** Rebuilds the indexes first, which a killed process may have left behind the items. */
  afterCrash: boolean;
  /** An engine ended by itself: nothing works any more. */
  onFailure: (error: Error) => void;
}): Promise<Engines> {
  const { afterCrash, onFailure } = options;
  const accessKeyId = `local${randomSecret().replaceAll(/[^A-Za-z0-9]/g, "")}`;
  const start = (directory: string) => ({
    dataDir: join(options.dataDir, directory),
    afterCrash,
    accessKeyId,
  });
  const starting = [
    startEngineThread("dynamodb-thread.ts", DYNAMODB_OPERATIONS, start("dynamodb"), onFailure),
    startEngineThread("sqs-thread.ts", SQS_OPERATIONS, start("sqs"), onFailure),
  ] as const;
  const [dynamodb, sqs] = await Promise.all(starting).catch(async (error: unknown) => {
    // The other one must not hold its files when the start is tried again.
    for (const each of await Promise.allSettled(starting))
      if (each.status === "fulfilled") await each.value.stop();
    throw error;
  });
  return {
    access: {
      region: REGION,
      accessKeyId,
      secretAccessKey: randomSecret(),
      endpoints: { dynamodb: dynamodb.endpoint, sqs: sqs.endpoint },
    },
    counts: () => ({ dynamodb: dynamodb.counter.read(), sqs: sqs.counter.read() }),
    resetCounts() {
      dynamodb.counter.reset();
      sqs.counter.reset();
    },
    async stop() {
      await Promise.all([dynamodb.stop(), sqs.stop()]);
    },
  };
}
