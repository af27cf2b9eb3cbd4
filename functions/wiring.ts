import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { systemClock, type Clock } from "../lib/core/clock.ts";
import { randomIds, type Ids } from "../lib/core/ids.ts";
import { readEnv, type EnvName } from "./env.ts";
import { createLog, type Log } from "./middleware/log.ts";

/**
 * The default timeouts of the SDK are none at all. `throwOnRequestTimeout` belongs to `requestTimeout`: without
 * it the handler only warns. Three attempts of 3 s stay below every function's own timeout but the authorizer's,
 * whose caller is told to try again either way.
 */
export const CLIENT_SETTINGS = {
  maxAttempts: 3,
  requestHandler: {
    requestTimeout: 3000,
    throwOnRequestTimeout: true,
    connectionTimeout: 1000,
    httpsAgent: { keepAlive: true, maxSockets: 50 },
    httpAgent: { keepAlive: true, maxSockets: 50 },
  },
} as const;

/** A document client with bounded calls. The endpoint and region come from the SDK's own variables. */
export function createDoc(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(CLIENT_SETTINGS), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

/** An SQS client with bounded calls. */
export const createSqs = (): SQSClient => new SQSClient(CLIENT_SETTINGS);

let doc: DynamoDBDocumentClient | undefined;
let sqs: SQSClient | undefined;
let log: Log | undefined;

/** The container's SQS client. A function of its own, so that bundles that send nothing leave the client out. */
export const sqsClient = (): SQSClient => (sqs ??= createSqs());

/** What a handler builds its deps from; nothing is made before it is asked for. */
export type Wiring = {
  clock: Clock;
  ids: Ids;
  readonly doc: DynamoDBDocumentClient;
  readonly log: Log;
  /** A variable that this function must have: a table's name, a queue's address. */
  env(name: EnvName): string;
};

const wiring: Wiring = {
  clock: systemClock,
  ids: randomIds,
  get doc() {
    return (doc ??= createDoc());
  },
  get log() {
    return (log ??= createLog());
  },
  env: (name) => readEnv([name])[name],
};

/**
 * The real handler of a file: its deps are built on the first event, once per container, so that importing the
 * file needs no environment.
 */
export function wired<Deps, Args extends unknown[], Answer>(
  createHandler: (deps: Deps) => (...args: Args) => Promise<Answer>,
  depsOf: (wiring: Wiring) => Deps,
): (...args: Args) => Promise<Answer> {
  let handler: ((...args: Args) => Promise<Answer>) | undefined;
  return async (...args) => (handler ??= createHandler(depsOf(wiring)))(...args);
}
