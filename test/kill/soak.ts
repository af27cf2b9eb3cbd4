/*
 * kill -9 again and again while agents enqueue, a model thinks, people decide, edit and cancel. Afterwards nothing is
 * stuck, nothing that was acknowledged is lost and nothing happened twice. Loopback only; bounded in count and time.
 *
 *   node test/kill/soak.ts                                               ten kills, a minute or two
 *   node test/kill/soak.ts --minutes 20 --kills 1000 --kill-every 20-40  the long one
 *   node test/kill/soak.ts --seed 7                                      the same choices again
 */
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { AUTO_WORKFLOW, PLAIN_WORKFLOW } from "../support/loop.ts";
import { nothingAcknowledged } from "./acknowledged.ts";
import { cancel, decide, edit, enqueue, type Stage } from "./actors.ts";
import { check } from "./check.ts";
import { createHostProcess } from "./host-process.ts";
import { seededRandom } from "./seeded-random.ts";
import { startSlowModel } from "./slow-model.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    minutes: { type: "string", default: "3" },
    kills: { type: "string", default: "10" },
    "kill-every": { type: "string", default: "3-6" },
    "items-per-minute": { type: "string", default: "80" },
  },
});
const LANES = 10;
const SHARED = 5;
const DRAIN_MS = 4 * 60_000;
/** At least so many are taken between two kills. */
const ITEMS_PER_KILL = 2;

const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const minutes = Math.min(60, Number(values.minutes));
const maxKills = Number(values.kills);
const [killFromSec = 20, killToSec = 40] = values["kill-every"].split("-").map(Number);
const everyMs = 60_000 / Number(values["items-per-minute"]);
const random = seededRandom(seed);
const say = (line: string) => void process.stdout.write(`${line}\n`);

const model = await startSlowModel(random, { fromMs: 100, toMs: 1200 });
const host = createHostProcess({ config: model.config });
const acknowledged = nothingAcknowledged();
const stage = { isEnding: false, isOver: false };
let kills = 0;

process.once("SIGINT", () => {
  stage.isEnding = true;
  say("interrupted: what is under way is finished and checked");
});
const watchdog = setTimeout(
  () => {
    say(`time is over (seed ${seed})`);
    void host.kill().then(() => process.exit(1));
  },
  minutes * 60_000 + DRAIN_MS + 120_000,
);

const commands = Array.from({ length: LANES }, (_, lane) => ({
  command: `/kill-${lane}`,
  held: lane % 3 !== 0,
}));

async function importWorkflows(): Promise<void> {
  const files = commands.map(({ command, held }, lane) => {
    const [text, name] = held ? [PLAIN_WORKFLOW, "/plain"] : [AUTO_WORKFLOW, "/auto"];
    const limited = text
      .replace("**Concurrency** `10`", "**Concurrency** `2`")
      .replace("## Policy", "## Policy\n- **On changes requested** `revise` up to `3`");
    return { path: `kill/${lane}.md`, text: limited.replaceAll(name, command) };
  });
  const { status, body } = await host.answer("POST", "/api/memos/import", "stewardKey", { files });
  if (status !== 200) throw new Error(`import: ${status} ${JSON.stringify(body)}`);
}

async function createShared(): Promise<string[]> {
  const created: string[] = [];
  for (let n = 0; n < SHARED; n++) {
    const memo = { title: `Shared ${n}`, body: "first" };
    const { body } = await host.answer("POST", "/api/memos", "stewardKey", memo);
    created.push(String(body["memoId"]));
  }
  return created;
}

/** On a slow machine the host may have come to nothing since it was started: a kill then would show little. */
async function untilTaken(since: number): Promise<void> {
  const wanted = acknowledged.items.size - since + ITEMS_PER_KILL;
  for (const until = Date.now() + 20_000; acknowledged.items.size < wanted && Date.now() < until;) {
    if (stage.isEnding) return;
    await wait(100);
  }
}

async function killAgainAndAgain(): Promise<void> {
  let taken = 0;
  while (!stage.isEnding && kills < maxKills) {
    await wait((killFromSec + random() * (killToSec - killFromSec)) * 1000);
    await untilTaken(acknowledged.items.size - taken);
    taken = acknowledged.items.size;
    // Two of three in the middle of a model's answer, however slow the machine is; the others at any moment.
    if (random() < 0.67) await model.untilAsked(20_000);
    if (stage.isEnding) return;
    await host.kill();
    const ms = Math.round(await host.start());
    const { items, decisions, edits, cancelled } = acknowledged;
    const did = `${items.size} enqueued, ${decisions.length} decided, ${edits.length} edits, ${cancelled.size} cancelled`;
    say(`kill ${++kills}: ready again after ${ms} ms; ${did}`);
  }
  stage.isEnding = true;
}

async function untilQuiet(): Promise<boolean> {
  const deadline = Date.now() + DRAIN_MS;
  const open = new Set([...acknowledged.items.values()].map(({ itemId }) => itemId));
  while (open.size > 0 && Date.now() < deadline) {
    await host.answer("GET", "/api/internal/cron/run-workflows", "agentKey");
    for (const itemId of open) {
      const { body } = await host.answer("GET", `/api/items/${itemId}`, "agentKey");
      if (body["status"] !== "pending" && body["status"] !== "claimed") open.delete(itemId);
    }
    if (open.size > 0) await wait(500);
  }
  return open.size === 0;
}

say(
  `seed ${seed}, at most ${minutes} minutes and ${maxKills} kills, one every ${killFromSec} to ${killToSec} s`,
);
try {
  await host.start();
  await importWorkflows();
  const shared = await createShared();
  const endsAt = Date.now() + minutes * 60_000;
  const actors: Stage = {
    host,
    random,
    acknowledged,
    commands,
    shared,
    isOver: () => stage.isEnding || Date.now() > endsAt,
  };
  const deciding = decide({ ...actors, isOver: () => stage.isOver }, () => actors.isOver());
  const killing = killAgainAndAgain();
  await Promise.all([
    enqueue(actors, { count: 20_000, everyMs }),
    edit(actors, 1500),
    cancel(actors, Math.max(4000, everyMs * 8)),
  ]);
  stage.isEnding = true;
  await killing;
  const quiet = await untilQuiet();
  stage.isOver = true;
  await deciding;
  const { faults, recoveries, landed } = await check(host, acknowledged, { commands, shared, model });
  if (!quiet) faults.push("not quiet in time");
  // A run of this that killed nothing, or met nobody at work, has shown nothing.
  if (kills === 0 || recoveries === 0) faults.push(`${kills} kills met ${recoveries} runs at work`);
  if (acknowledged.items.size <= kills)
    faults.push(`${acknowledged.items.size} items for ${kills} kills show little`);
  for (const fault of faults) say(`fault: ${fault}`);
  const { items, decisions, edits, cancelled } = acknowledged;
  say(
    `${items.size} items (${landed} landed, ${cancelled.size} cancelled), ${decisions.length} decisions, ${edits.length} edits, ` +
      `${kills} kills, ${recoveries} recoveries, ${faults.length} faults (seed ${seed})`,
  );
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  clearTimeout(watchdog);
  stage.isEnding = true;
  stage.isOver = true;
  await host.kill();
  await model.stop();
  host.remove();
}
