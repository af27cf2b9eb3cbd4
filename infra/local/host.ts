import { join } from "node:path";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { ENV } from "../../functions/env.ts";
import { MINUTE_MS } from "../../lib/core/duration.ts";
import { FUNCTIONS, type FunctionDeclaration } from "../topology.ts";
import { ADDRESS_FILE, openDataFolder } from "./data/data-folder.ts";
import { createFunctionLog } from "./data/function-log.ts";
import { ensureKeys, ensurePepper, previousPepper, type LocalKeys } from "./data/keys.ts";
import { readModelConfig } from "./data/model-config.ts";
import { startEngines, type EngineName } from "./engine/engines.ts";
import { createClients, ensureResources } from "./engine/resources.ts";
import { firstStart, isFirstStart } from "./first-start.ts";
import { createFunctionHost } from "./functions/function-host.ts";
import type { Outcome } from "./functions/function-instance.ts";
import { startGateway } from "./gateway/http-gateway.ts";
import { bundleDeclared, hostedFunctions } from "./hosted-functions.ts";
import { startPollers } from "./queue-poller.ts";
import { startScheduler, type Scheduler } from "./scheduler.ts";

export type HostOptions = {
  dataDir: string;
  /** 0 takes a free one. */
  port: number;
  /** Between two rounds of the scheduled functions; by default as declared. */
  everyMs?: number;
  /** Whose pages may read the API's answers. @default nobody's */
  corsOrigins?: readonly string[];
  /** Given to every function beside what it declares. */
  env?: Record<string, string>;
  /** config.json by another path than in the data folder. */
  configFile?: string;
  /** Where the keys that config.json names are looked up; they reach the runner only. */
  secrets?: Readonly<Record<string, string | undefined>>;
  /** Says nothing on the way. */
  quiet?: boolean;
  /** On a folder that was never used: brings in the demo library and waits for a first draft. */
  firstStart?: boolean;
  /** An embedded engine ended by itself; by default the process ends with a message. */
  onFatal?: (error: Error) => void;
};

export type Host = {
  url: string;
  keys: LocalKeys;
  /** Requests to the engines since the last reset, the host's own polling included. */
  counts(): Record<EngineName, Record<string, number>>;
  resetCounts(): void;
  /** Runs one function with an event, as whoever fires it on AWS would. */
  invoke(functionName: string, event: unknown): Promise<Outcome>;
  /** Stops taking work, waits a moment for what runs, closes the engines and releases the folder. */
  stop(): Promise<void>;
};

/** How long running invocations may go on after a stop; what is cut off is recovered at the next start. */
const DRAIN_MS = 5000;
/** Fired before everything else: what a killed process left running goes on first. */
const FIRST_SCHEDULE = "scheduleRecover";
const AUTHORIZER = "authorizer";
/** The functions that a first start calls, one after the other. */
const FIRST_CALLED = [
  AUTHORIZER,
  "httpMemos",
  "httpSessions",
  "httpQueue",
  "queueWake",
  "queueRun",
  "httpHolds",
];

/** Runs the whole product in this process over one data folder. The functions are an argument for tests only. */
export async function startHost(
  options: HostOptions,
  declared: Readonly<Record<string, FunctionDeclaration>> = FUNCTIONS,
): Promise<Host> {
  const startedAt = Date.now();
  const say = (line: string) => {
    if (!options.quiet) process.stdout.write(`${line}\n`);
  };
  const undo: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const data = openDataFolder(options.dataDir);
    undo.push(() => data.close());
    const { configJson, secrets, missing } = readModelConfig(data, options);
    for (const name of missing) say(`config.json names ${name}, which is not set in the environment.`);
    const log = createFunctionLog(join(data.path, "logs"));
    undo.push(() => log.close());
    if (data.afterCrash) say("The last process was stopped hard: checking the indexes.");

    const [engines, files] = await Promise.all([
      startEngines({
        dataDir: data.path,
        afterCrash: data.afterCrash,
        onFailure: options.onFatal ?? endProcess,
      }),
      bundleDeclared(declared, join(data.path, "bundles")),
    ]);
    undo.push(() => engines.stop());
    const clients = createClients(engines.access);
    undo.push(() => Object.values(clients).forEach((client) => client.destroy()));
    const resources = await ensureResources(clients, engines.access);
    const pepper = ensurePepper(data);
    const previous = previousPepper(data);
    const doc = DynamoDBDocumentClient.from(clients.dynamodb);
    const keys = await ensureKeys(data, { doc, controlTable: resources.tables.control, pepper, previous });

    const functions = createFunctionHost({
      functions: hostedFunctions(declared, files, {
        access: engines.access,
        resources,
        settings: {
          [ENV.keyPepper]: pepper,
          ...(previous !== undefined && { [ENV.previousKeyPepper]: previous }),
          [ENV.internalKey]: keys.internalKey,
          [ENV.config]: configJson,
        },
        shared: {
          [ENV.stage]: "local",
          [ENV.deadBeforeMs]: String(startedAt),
          // Halves the time a function needs to load.
          NODE_COMPILE_CACHE: join(data.path, "compile-cache"),
          ...options.env,
        },
        secrets,
      }),
      onOutput: log.append,
      onFailure: (name, message) => say(`failed: ${name}: ${message} (see logs/${name}.log)`),
    });
    const gateway = await startGateway({
      port: options.port,
      functions: declared,
      authorizer: AUTHORIZER,
      host: functions,
      ...(options.corsOrigins && { corsOrigins: options.corsOrigins }),
    });
    data.write(ADDRESS_FILE, gateway.url);
    undo.push(() => data.remove(ADDRESS_FILE));

    const { region } = engines.access;
    const pollers = startPollers(declared, {
      sqs: clients.sqs,
      region,
      queueUrls: resources.queueUrls,
      invoke: functions.invoke,
      onError: (error) => say(`queue: ${error instanceof Error ? error.message : String(error)}`),
    });
    let scheduler: Scheduler | undefined;
    // Together: each waits for invocations that run, and the function host ends those that take too long.
    undo.push(async () => {
      await Promise.all([scheduler?.stop(), pollers.stop(), gateway.stop(), functions.stop(DRAIN_MS)]);
    });
    // Before the schedules: on a new folder they have nothing to find, and would only take the processor.
    if (options.firstStart && isFirstStart(data)) {
      functions.warm(FIRST_CALLED);
      await firstStart({ data, url: gateway.url, keys, say });
    }
    scheduler = startScheduler({
      functions: Object.keys(declared).filter((name) => declared[name]?.schedule),
      everyMs: options.everyMs ?? everyMin(declared) * MINUTE_MS,
      first: FIRST_SCHEDULE,
      region,
      invoke: functions.invoke,
    });

    return {
      url: gateway.url,
      keys,
      counts: engines.counts,
      resetCounts: engines.resetCounts,
      invoke: (functionName, event) => functions.invoke(functionName, event),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const everyMin = (declared: Readonly<Record<string, FunctionDeclaration>>): number =>
  Math.min(...Object.values(declared).map(({ schedule }) => schedule?.everyMin ?? 5));

function endProcess(error: Error): never {
  process.stderr.write(`An embedded engine has ended: ${error.message}\n`);
  process.exit(1);
}
