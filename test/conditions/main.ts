import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { REDUNDANT } from "./redundant.ts";
import { tryWithout, type Verdict } from "./try-clause.ts";

/*
 * Which clause of which condition is proved: each is left out in turn, and stories and seeds are played until
 * something goes wrong. What nothing catches must stand in redundant.ts with its reason, and only that.
 *
 *   node test/conditions/main.ts [--seeds 100] [--only TEXT] [--workers 2]
 */

const { values: asked } = parseArgs({
  options: {
    seeds: { type: "string", default: "100" },
    only: { type: "string", default: "" },
    workers: { type: "string", default: String(Math.min(4, availableParallelism())) },
  },
});
const seeds = Number(asked.seeds);
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Every clause that whole conditions state in the seeds and the stories, where every write of the code is made. */
async function clausesSeen(): Promise<string[]> {
  const { caughtBy, why, seen, writes } = await tryWithout(null, seeds);
  if (caughtBy) throw new Error(`with every condition whole, ${caughtBy} fails: ${why}`);
  const unmade = namesInCode().filter((name) => !writes.includes(name));
  if (unmade.length > 0) throw new Error(`no seed and no story makes ${unmade.join(", ")}`);
  return [...seen].sort();
}

function namesInCode(): string[] {
  const root = join(import.meta.dirname, "../..");
  const files = globSync("lib/{queue,runs}/*writes.ts", { cwd: root });
  return files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/^ +(?:return \{ )?name: "([^"]+)"/gm)].map(
      (match) => match[1]!,
    ),
  );
}

async function tryAll(clauses: readonly string[]): Promise<Verdict[]> {
  const left = [...clauses];
  const verdicts: Verdict[] = [];
  const progress = () => {
    if (process.stdout.isTTY) process.stdout.write(`\r${verdicts.length} of ${clauses.length} clauses `);
  };
  const one = (worker: Worker, clause: string) =>
    new Promise<Verdict>((resolve, reject) => {
      worker.once("error", reject);
      worker.once("message", (verdict: Verdict) => {
        worker.off("error", reject);
        resolve(verdict);
      });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage({ clause, seeds });
    });
  await Promise.all(
    Array.from({ length: Number(asked.workers) }, async () => {
      const worker = new Worker(new URL("./worker.ts", import.meta.url));
      for (let clause = left.shift(); clause !== undefined; clause = left.shift()) {
        verdicts.push(await one(worker, clause));
        progress();
      }
      await worker.terminate();
    }),
  );
  if (process.stdout.isTTY) process.stdout.write("\r\x1b[K");
  return verdicts.sort((a, b) => String(a.clause).localeCompare(String(b.clause)));
}

async function main(): Promise<boolean> {
  const startedAt = performance.now();
  const known = await clausesSeen();
  const clauses = known.filter((clause) => clause.includes(asked.only));
  const verdicts = await tryAll(clauses);
  const survivors = verdicts.filter(({ caughtBy }) => caughtBy === null).map(({ clause }) => String(clause));
  for (const { clause, caughtBy, why } of verdicts)
    if (caughtBy) say(`caught    ${clause}\n          ${caughtBy}: ${why}`);
  for (const clause of survivors)
    say(`SURVIVES  ${clause}\n          ${REDUNDANT[clause] ?? "NO REASON IS GIVEN"}`);
  const unlisted = survivors.filter((clause) => !Object.hasOwn(REDUNDANT, clause));
  const listed = Object.keys(REDUNDANT).filter((clause) => clause.includes(asked.only));
  const needless = listed.filter((clause) => known.includes(clause) && !survivors.includes(clause));
  const unheard = listed.filter((clause) => !known.includes(clause));
  for (const clause of needless) say(`listed as redundant, but caught: ${clause}`);
  for (const clause of unheard) say(`listed as redundant, but no write states it: ${clause}`);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  say(
    `${clauses.length} clauses, ${survivors.length} survive, ${unlisted.length} of them without a reason; ${minutes} min`,
  );
  return unlisted.length + needless.length + unheard.length === 0;
}

process.exitCode = (await main()) ? 0 : 1;
