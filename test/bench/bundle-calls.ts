import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ENV } from "../../functions/env.ts";
import { functionEnvironment } from "../../infra/local/functions/function-environment.ts";
import {
  FUNCTIONS,
  type FunctionDeclaration,
  type FunctionName,
  type Route,
  type TableName,
} from "../../infra/topology.ts";

export type Called = { loadMs: number; callMs: number; answer: unknown };

const SECRET = "0123456789abcdef".repeat(4);
const queueUrl = (name: string) => `http://127.0.0.1:9/000000000000/${name}`;

/** An event that the function would get, and what shows that it understood it. */
export function eventFor(name: FunctionName): { event: unknown; isRight(answer: unknown): boolean } {
  const declaration: FunctionDeclaration = FUNCTIONS[name];
  if (declaration.schedule) {
    return {
      event: { "detail-type": "Scheduled Event" },
      isRight: (answer) => fieldOf(answer, "started") === 0,
    };
  }
  if (declaration.queue) {
    const failures = (answer: unknown) => fieldOf(answer, "batchItemFailures");
    return {
      event: { Records: [{ messageId: "m1", body: "{}" }] },
      isRight: (answer) => JSON.stringify(failures(answer)) === "[]",
    };
  }
  if (name === "authorizer") {
    const context = (answer: unknown) => fieldOf(answer, "context");
    return {
      event: { headers: { authorization: "Bearer mk_nobody_nothing" } },
      isRight: (answer) => fieldOf(context(answer), "principal") === "",
    };
  }
  const [route] = declaration.routes ?? [];
  const expected = route?.path === "/healthz" ? 200 : 401;
  return { event: requestFor(route!), isRight: (answer) => fieldOf(answer, "statusCode") === expected };
}

/** A request without a key, as the gateway hands it on. */
const requestFor = ({ method, path }: Route) => ({
  version: "2.0",
  routeKey: `${method} ${path}`,
  rawPath: path,
  headers: { host: "bench" },
  isBase64Encoded: false,
  requestContext: { requestId: "bench", http: { method, path }, authorizer: { lambda: { principal: "" } } },
});

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** The environment of a function as its host gives it, with the tables at `endpoint`. */
export const environmentFor = (name: FunctionName, endpoint: string, tables: Record<TableName, string>) =>
  functionEnvironment(name, FUNCTIONS[name], {
    access: {
      region: "local",
      accessKeyId: "bench",
      secretAccessKey: "bench",
      endpoints: { dynamodb: endpoint, sqs: "http://127.0.0.1:9" },
    },
    resources: {
      tables,
      queueUrls: { run: queueUrl("run"), wake: queueUrl("wake") },
      deadLetterUrls: { run: queueUrl("run-dead"), wake: queueUrl("wake-dead") },
    },
    settings: { [ENV.stage]: "bench", [ENV.internalKey]: SECRET },
    shared: { [ENV.keyPepper]: SECRET },
    secrets: {},
  });

const run = promisify(execFile);

/** Loads a bundle in a new process and calls it. @throws with what the process said when it fails */
export async function callBundle(file: string, event: unknown, env: Record<string, string>): Promise<Called> {
  const asked = JSON.stringify({ file: pathToFileURL(file).href, event });
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, "load-bundle.mjs"), asked], {
    env: { PATH: process.env["PATH"], ...env },
    timeout: 60_000,
  });
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Called;
}
