import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { SSMClient } from "@aws-sdk/client-ssm";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { systemClock, type Clock } from "../lib/core/clock.ts";
import { randomIds, type Ids } from "../lib/core/ids.ts";
import { readEnv, type EnvName } from "./env.ts";
import { createLog, type Log } from "./middleware/log.ts";

/** How long one call may take, all its attempts together. */
export type CallBounds = { requestTimeoutMs: number; maxAttempts: number };

/** About ten seconds at worst: below the timeout of every function but the authorizer. */
const CALL_BOUNDS: CallBounds = { requestTimeoutMs: 3000, maxAttempts: 3 };

/** The SDK waits without end by default, and only warns unless it is told to throw. */
const clientSettings = ({ requestTimeoutMs, maxAttempts }: CallBounds) => ({
  maxAttempts,
  requestHandler: {
    requestTimeout: requestTimeoutMs,
    throwOnRequestTimeout: true,
    connectionTimeout: 1000,
    httpsAgent: { keepAlive: true, maxSockets: 50 },
    httpAgent: { keepAlive: true, maxSockets: 50 },
  },
});

/** A document client with bounded calls. The endpoint and region come from the SDK's own variables. */
export function createDoc(bounds = CALL_BOUNDS): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(clientSettings(bounds)), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

/** An SQS client with bounded calls. */
export const createSqs = (): SQSClient => new SQSClient(clientSettings(CALL_BOUNDS));

/** A client for parameters with bounded calls: the authorizer, which ends after 5 s, asks with it too. */
export const createSsm = (): SSMClient =>
  new SSMClient(clientSettings({ requestTimeoutMs: 1000, maxAttempts: 2 }));

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
