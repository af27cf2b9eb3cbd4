/*
 * kill -9 at ten random moments while 30 items run on 10 lanes, with a person approving what is held. Afterwards
 * nothing is stuck and nothing happened twice. Bounded: at most KILLS kills and DEADLINE_MS in all, loopback only.
 *
 *   node test/kill/kill-nine.ts [seed]
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { AUTO_WORKFLOW, PLAIN_WORKFLOW } from "../support/loop.ts";

const LANES = 10;
const ITEMS = 30;
const KILLS = 10;
const DEADLINE_MS = 8 * 60_000;

const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31));
const random = seededRandom(seed);
const dataDir = mkdtempSync(join(tmpdir(), "mythos-kill-"));
const root = join(import.meta.dirname, "../..");
const say = (line: string) => void process.stdout.write(`${line}\n`);

let host: ChildProcess | undefined;
let url = "";
let keys = { agentKey: "", stewardKey: "", internalKey: "" };

/** mulberry32: small, seedable, good enough to pick moments. */
function seededRandom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function start(): Promise<void> {
  const child = spawn(process.execPath, ["infra/local/main.ts"], {
    cwd: root,
    env: { ...process.env, MYTHOS_DATA: dataDir, PORT: "0", MYTHOS_EVERY: "5s" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  host = child;
  const ready = Promise.withResolvers<string>();
  child.once("exit", () => ready.reject(new Error("the host ended before it was ready")));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const address = /^ready (http:\S+)$/.exec(line)?.[1];
    if (address) ready.resolve(address);
  });
  url = await ready.promise;
  keys = JSON.parse(readFileSync(join(dataDir, "keys.json"), "utf8")) as typeof keys;
}

async function killNine(): Promise<void> {
  const dead = Promise.withResolvers<void>();
  host?.once("exit", () => dead.resolve());
  host?.kill("SIGKILL");
  await dead.promise;
}

type Answer = { status: number; body: Record<string, unknown> };

/** undefined when the host is down at this moment. */
async function call(method: string, path: string, key: string, body?: unknown): Promise<Answer | undefined> {
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        "x-internal-key": keys.internalKey,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  } catch {
    // Killed under the request: the caller asks again, as any client would.
    return undefined;
  }
}

async function untilAnswered(method: string, path: string, key: string, body?: unknown): Promise<Answer> {
  for (;;) {
    const answer = await call(method, path, key, body);
    if (answer && answer.status < 500) return answer;
    await wait(100);
  }
}

const command = (lane: number) => `/kill-${lane}`;

async function importWorkflows(): Promise<void> {
  const files = Array.from({ length: LANES }, (_, lane) => {
    const [text, name] = lane % 3 === 0 ? [AUTO_WORKFLOW, "/auto"] : [PLAIN_WORKFLOW, "/plain"];
    const limited = text.replace("**Concurrency** `10`", "**Concurrency** `2`");
    return { path: `kill/${lane}.md`, text: limited.replaceAll(name, command(lane)) };
  });
  const { status, body } = await untilAnswered("POST", "/api/memos/import", keys.stewardKey, { files });
  if (status !== 200) throw new Error(`import: ${status} ${JSON.stringify(body)}`);
}

async function enqueueAll(): Promise<{ itemId: string; runId: string }[]> {
  const items: { itemId: string; runId: string }[] = [];
  for (let n = 0; n < ITEMS; n++) {
    const path = `/api/workflows${command(n % LANES)}/items`;
    const body = { payload: { topic: `Kill ${n}` }, dedupeKey: `kill-${n}` };
    const answer = await untilAnswered("POST", path, keys.agentKey, body);
    if (answer.status > 202) throw new Error(`enqueue: ${answer.status} ${JSON.stringify(answer.body)}`);
    items.push({ itemId: String(answer.body["itemId"]), runId: String(answer.body["runId"]) });
    await wait(random() * 120);
  }
  return items;
}

const watch = { isOver: false };

/** A person who approves whatever is held, over and over. */
async function steward(): Promise<void> {
  while (!watch.isOver) {
    const holds = await call("GET", "/api/holds?limit=100", keys.stewardKey);
    for (const { holdId, sha256 } of (holds?.body["items"] ?? []) as { holdId: string; sha256: string }[]) {
      await call("POST", `/api/holds/${holdId}/decision`, keys.stewardKey, { verdict: "approve", sha256 });
    }
    await wait(50);
  }
}

/** Kills at random moments, each counted from the start of the one before. */
async function killer(): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill++) {
    await wait(100 + random() * 1400);
    await killNine();
    const at = Date.now();
    await start();
    say(`kill ${kill} of ${KILLS}: ready again after ${Date.now() - at} ms`);
  }
}

async function check(items: { itemId: string; runId: string }[]): Promise<string[]> {
  const faults: string[] = [];
  let recoveries = 0;
  for (const { itemId, runId } of items) {
    const item = (await untilAnswered("GET", `/api/items/${itemId}`, keys.agentKey)).body;
    const run = (await untilAnswered("GET", `/api/runs/${runId}`, keys.agentKey)).body;
    recoveries += Number(run["recoveries"]);
    if (item["status"] !== "done") faults.push(`${itemId} is ${String(item["status"])}`);
    if (run["status"] !== "done")
      faults.push(`${runId} is ${String(run["status"])} ${JSON.stringify(run["error"])}`);
    const landing = run["landing"] as { memoId: string; contentVersion: number } | null;
    if (!landing) continue;
    const memo = (await untilAnswered("GET", `/api/memos/${landing.memoId}`, keys.agentKey)).body;
    if (memo["contentVersion"] !== 1)
      faults.push(`${landing.memoId} is at ${String(memo["contentVersion"])}`);
    if (memo["runId"] !== runId) faults.push(`${landing.memoId} is not of ${runId}`);
  }
  for (let lane = 0; lane < LANES; lane++) {
    const { body } = await untilAnswered("GET", `/api/workflows${command(lane)}`, keys.agentKey);
    const { inFlight } = body["lane"] as { inFlight: string[] };
    if (inFlight.length > 0) faults.push(`lane ${command(lane)} still holds ${inFlight.length} slots`);
  }
  say(`${recoveries} recoveries over ${items.length} runs`);
  return faults;
}

/** Whether every item is settled; asked until it is, or until the time is over. */
async function untilSettled(items: { itemId: string }[], deadline: number): Promise<void> {
  while (Date.now() < deadline) {
    await untilAnswered("GET", "/api/internal/cron/run-workflows", keys.agentKey);
    const answers = await Promise.all(
      items.map(({ itemId }) => untilAnswered("GET", `/api/items/${itemId}`, keys.agentKey)),
    );
    const open = answers.filter(({ body }) => body["status"] === "pending" || body["status"] === "claimed");
    if (open.length === 0) return;
    await wait(500);
  }
}

const deadline = Date.now() + DEADLINE_MS;
const watchdog = setTimeout(() => {
  say("time is over");
  host?.kill("SIGKILL");
  process.exit(1);
}, DEADLINE_MS + 60_000);
say(`seed ${seed}`);
try {
  await start();
  await importWorkflows();
  const person = steward();
  const [items] = await Promise.all([enqueueAll(), killer()]);
  await untilSettled(items, deadline);
  watch.isOver = true;
  await person;
  const faults = await check(items);
  for (const fault of faults) say(`fault: ${fault}`);
  say(`${items.length} items, ${KILLS} kills, ${faults.length} faults (seed ${seed})`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  clearTimeout(watchdog);
  watch.isOver = true;
  await killNine();
  rmSync(dataDir, { recursive: true, force: true });
}
