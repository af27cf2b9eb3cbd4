/*
 * Every bundle as Lambda would load it: imported on this Node in a process of its own and called once with an event,
 * with its size and its time to load beside the targets, and what weighs most in it.
 *
 *   npm run bench:bundles            # --top 8 shows more of what weighs, --loads 9 loads more often
 */
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleEntries, bundleFunctions, type Bundle } from "../../infra/bundle.ts";
import { FUNCTIONS, type FunctionDeclaration, type FunctionName } from "../../infra/topology.ts";
import { startEngine } from "../support/engine.ts";
import { callBundle, environmentFor, eventFor, type Called } from "./bundle-calls.ts";

const KB = 1024;
const TARGET_KB = { http: 520, runner: 1536 };
const LOAD_TARGET = 1.3;

const { values } = parseArgs({
  options: { top: { type: "string", default: "4" }, loads: { type: "string", default: "5" } },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const sizeOf = ({ file }: Bundle) => statSync(file).size;

/** Packages and rooms by what they take of a bundle, largest first. */
function contributors({ metafile }: Bundle): [string, number][] {
  const sums = new Map<string, number>();
  const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith(".mjs"))?.[1];
  for (const [path, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    const packages = [...path.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)];
    const name = packages.at(-1)?.[1] ?? path.split("/").slice(0, 2).join("/");
    sums.set(name, (sums.get(name) ?? 0) + bytesInOutput);
  }
  return [...sums].toSorted((a, b) => b[1] - a[1]);
}

/** The quickest of several: what is slower waited for something else on this machine. */
async function quickest(file: string, event: unknown, env: Record<string, string>): Promise<Called> {
  let best = await callBundle(file, event, env);
  for (let load = 1; load < Number(values.loads); load++) {
    const call = await callBundle(file, event, env);
    if (call.loadMs < best.loadMs) best = call;
  }
  return best;
}

const targetOf = (name: FunctionName): number | undefined => {
  const { model, routes }: FunctionDeclaration = FUNCTIONS[name];
  if (model) return TARGET_KB.runner;
  return routes || name === "authorizer" ? TARGET_KB.http : undefined;
};

const engine = await startEngine();
const bundles = await bundleFunctions();
const bare = (
  await bundleEntries([{ name: "bare", file: "test/bench/bare-sdk.ts" }], join(tmpdir(), "bare-sdk"))
)["bare"]!;
const env = environmentFor("httpQueue", engine.endpoint, engine.tables);
const { loadMs: bareMs } = await quickest(bare.file, {}, env);
say(
  `node ${process.versions.node}; the bare SDK: ${Math.round(sizeOf(bare) / KB)} KB, ${bareMs.toFixed(0)} ms to load`,
);
const failures: string[] = [];
for (const name of Object.keys(bundles) as FunctionName[]) {
  const { event, isRight } = eventFor(name);
  const { file } = bundles[name];
  const { loadMs, callMs, answer } = await quickest(
    file,
    event,
    environmentFor(name, engine.endpoint, engine.tables),
  );
  if (!isRight(answer)) failures.push(`${name} answered ${JSON.stringify(answer)}`);
  const kb = Math.round(sizeOf(bundles[name]) / KB);
  const target = targetOf(name);
  const times = loadMs / bareMs;
  const top = contributors(bundles[name]).slice(0, Number(values.top));
  say(
    [
      `  ${name.padEnd(16)} ${String(kb).padStart(5)} KB`,
      target === undefined ? "            " : `(${kb <= target ? "≤" : ">"} ${target})`.padEnd(12),
      `load ${loadMs.toFixed(0).padStart(4)} ms (${times.toFixed(1)}${times <= LOAD_TARGET ? "" : ` > ${LOAD_TARGET}`})`.padEnd(
        28,
      ),
      `call ${callMs.toFixed(0).padStart(4)} ms `,
      top.map(([part, bytes]) => `${part} ${Math.round(bytes / KB)}`).join(", "),
    ].join(" "),
  );
}
await engine.stop();
for (const failure of failures) say(`FAILED: ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
