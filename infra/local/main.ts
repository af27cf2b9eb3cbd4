import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseDuration } from "../../lib/core/duration.ts";
import { isAppError } from "../../lib/core/errors.ts";
import { readOrigins } from "../cors.ts";
import { dataDirFrom } from "./data/data-folder.ts";
import { callOrThrow } from "./api-call.ts";
import { KEYS_FILE } from "./data/keys.ts";
import { DONE_FILE } from "./first-start.ts";
import { startHost, type Host } from "./host.ts";

/** The address that the documents name. */
const PORT = 4747;

const say = (line: string) => void process.stdout.write(`${line}\n`);

let host: Host | undefined;
let stopping = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop());

try {
  const dataDir = dataDirFrom(process.env);
  say(`Starting on ${dataDir}`);
  const isFirst = !existsSync(join(dataDir, DONE_FILE));
  const everyMs = everyFrom(process.env["MYTHOS_EVERY"]);
  host = await startHost({
    dataDir,
    port: portFrom(process.env["PORT"]),
    ...(everyMs !== undefined && { everyMs }),
    corsOrigins: readOrigins("MYTHOS_CORS_ORIGINS", process.env["MYTHOS_CORS_ORIGINS"] ?? ""),
    env: passedOn(["MYTHOS_STUCK_RUN_MS", "MYTHOS_WRITES_PER_MINUTE"]),
    ...(process.env["MYTHOS_CONFIG"] && { configFile: process.env["MYTHOS_CONFIG"] }),
    secrets: process.env,
    firstStart: true,
  });
  if (stopping) await close(host);
  say(`Keys: ${join(dataDir, KEYS_FILE)} (agentKey for agents, stewardKey for you)`);
  // A first start has said so already, of its own draft.
  if (!isFirst) say("Show and approve a waiting draft: npm run approve");
  say(`ready ${host.url}`);
  say(await pageLine(host));
} catch (error) {
  process.stderr.write(`${plain(error)}\n`);
  process.exit(1);
}

/** The first signal stops in order, a second one at once. */
async function stop(): Promise<void> {
  if (stopping) process.exit(1);
  stopping = true;
  say("Stopping …");
  if (host) await close(host);
}

async function close(running: Host): Promise<never> {
  await running.stop();
  process.exit(0);
}

/** The link is asked for as anybody would: with the steward's key. Without one the host serves all the same. */
async function pageLine({ url, keys }: Host): Promise<string> {
  try {
    const { path } = await callOrThrow({ url, key: keys.stewardKey }, "POST", "/api/sign-in-links");
    return `Your page, by a link that works once: ${url}${String(path)}`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `No link to your page yet (${reason}); get one by: npx mythos page`;
  }
}

/** An empty variable is one that is not set, here as for every other setting. */
function portFrom(text: string | undefined): number {
  if (!text) return PORT;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new Error(`PORT is "${text}"; expected a number from 0 to 65535`);
}

function everyFrom(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const everyMs = parseDuration(text);
  if (everyMs) return everyMs;
  throw new Error(`MYTHOS_EVERY is "${text}"; expected a duration such as 10s or 5m`);
}

function passedOn(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** One line for what a person can mend, the whole stack for what only we can. */
function plain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return `${error.message}\nAnother program uses this port; set PORT to another one.`;
  if (error.name === "Error" || isAppError(error)) return error.message;
  return error.stack ?? error.message;
}
