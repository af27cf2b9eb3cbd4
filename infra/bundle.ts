import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { BuildOptions, Metafile } from "esbuild";
import { LEFT_OUT, TRIMS } from "./bundle-trims.ts";
import { FUNCTIONS } from "./topology.ts";
import { compiledWorkflows, workflowSources } from "./workflow-modules.ts";

/** One function's code, ready to be loaded: a folder with `index.mjs`, whose export is `handler`. */
export type Bundle = { file: string; metafile: Metafile };

const ROOT = resolve(import.meta.dirname, "..");
/** Ignored by git; one folder for each function, its metafile and cache record beside it. */
const BUNDLES = join(ROOT, ".bundles");

/**
 * How every handler is bundled, for both hosts; entry files by their output's name. The AWS SDK is bundled too: the runtime's own copy floats.
 * Source maps point at the files and do not repeat them.
 */
export const bundleOptions = (entryPoints: Record<string, string>) =>
  ({
    absWorkingDir: ROOT,
    entryPoints,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    minify: true,
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    mainFields: ["module", "main"],
    plugins: [...TRIMS, compiledWorkflows],
    // Dependencies in CommonJS call require, which an ES module does not have.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  }) as const satisfies BuildOptions;

/**
 * Bundles the named functions of the topology, all of them when none is named. A bundle whose sources are as
 * they were is taken from the cache, without loading the bundler.
 */
export async function bundleFunctions<N extends keyof typeof FUNCTIONS>(
  names: readonly N[] = Object.keys(FUNCTIONS) as N[],
): Promise<Record<N, Bundle>> {
  const entries = names.map((name) => ({ name, file: FUNCTIONS[name].file }));
  return (await bundleEntries(entries, BUNDLES)) as Record<N, Bundle>;
}

/** An entry file under the project's root, and the name that its bundle gets. */
export type Entry = { name: string; file: string };

/** Bundles entry files, each into the folder of its name under `outDir`. */
export async function bundleEntries(
  entries: readonly Entry[],
  outDir: string,
): Promise<Record<string, Bundle>> {
  const hashes: FileHashes = new Map();
  const stale = entries.filter((entry) => !isCached(entry, outDir, hashes));
  if (stale.length > 0) await build(stale, outDir);
  return Object.fromEntries(entries.map(({ name }) => [name, bundleAt(join(outDir, name))]));
}

const bundleAt = (folder: string): Bundle => ({
  file: join(folder, "index.mjs"),
  // Read only when it is asked for: with the SDK's files it is large, and a host never asks.
  get metafile() {
    return JSON.parse(readFileSync(`${folder}.meta.json`, "utf8")) as Metafile;
  },
});

/** All at once: the bundler then reads the packages that they share only once. */
async function build(entries: readonly Entry[], outDir: string): Promise<void> {
  const { build: run } = await import("esbuild");
  const built = await run({
    ...bundleOptions(Object.fromEntries(entries.map(({ name, file }) => [`${name}/index`, file]))),
    outdir: outDir,
    write: false,
  });
  for (const output of built.outputFiles) replaceFile(output.path, output.contents);
  for (const { name, file } of entries) {
    const metafile = metafileOf(built.metafile, join(outDir, name));
    replaceFile(join(outDir, `${name}.meta.json`), JSON.stringify(metafile));
    const own = Object.keys(metafile.inputs).filter(isSource);
    const sources = [...new Set([...own, ...workflowSources(ROOT, own)])];
    // Last, so that a record never vouches for files that are not there.
    const made = digest(file, sources, new Map());
    if (made === undefined) throw new Error(`${name}: the bundle names a source that is no file`);
    const record: CacheRecord = { digest: made, sources };
    replaceFile(join(outDir, `${name}.cache.json`), JSON.stringify(record));
  }
}

/** The part of a common metafile that is about one bundle: its outputs, and the files its entry leads to. */
function metafileOf(metafile: Metafile, folder: string): Metafile {
  const outputs = Object.fromEntries(
    Object.entries(metafile.outputs).filter(([path]) => dirname(resolve(ROOT, path)) === folder),
  );
  const inputs: Metafile["inputs"] = {};
  const open = Object.values(outputs).flatMap(({ entryPoint }) => (entryPoint ? [entryPoint] : []));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const input = metafile.inputs[path];
    if (!input || path in inputs) continue;
    inputs[path] = input;
    open.push(...input.imports.map((imported) => imported.path));
  }
  return { inputs, outputs };
}

/** Not of a package, which counts by the lock file, nor made by a plugin, which is among the files of the build. */
const isSource = (input: string): boolean =>
  !input.includes("node_modules/") && !input.startsWith(`${LEFT_OUT}:`);

type CacheRecord = { digest: string; sources: string[] };
/** Files read in one call, since most functions share them. */
type FileHashes = Map<string, string | undefined>;

function isCached({ name, file }: Entry, outDir: string, hashes: FileHashes): boolean {
  if (!existsSync(bundleAt(join(outDir, name)).file)) return false;
  try {
    const record = JSON.parse(readFileSync(join(outDir, `${name}.cache.json`), "utf8")) as CacheRecord;
    return record.digest === digest(file, record.sources, hashes);
  } catch {
    // Absent, or of an older form: the bundle is made again.
    return false;
  }
}

/** What decides how a bundle is made, beside its own sources. */
const BUILD_FILES = ["package-lock.json", "tsconfig.json", "infra/bundle.ts", "infra/bundle-trims.ts"];

/** Sha-256 over all that a bundle is made of; undefined when a source is gone. Packages count by the lock file. */
function digest(entry: string, sources: readonly string[], hashes: FileHashes): string | undefined {
  const hash = createHash("sha256").update(JSON.stringify(bundleOptions({ index: entry })));
  for (const source of [...BUILD_FILES, ...sources.toSorted()]) {
    if (!hashes.has(source)) hashes.set(source, hashOf(join(ROOT, source)));
    const content = hashes.get(source);
    if (content === undefined) return undefined;
    hash.update(`\0${source}\0${content}`);
  }
  return hash.digest("hex");
}

function hashOf(path: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return undefined;
  }
}

/** Puts a whole file in place at once, since another process may be reading the earlier one. */
function replaceFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${randomUUID()}.next`;
  writeFileSync(next, content);
  renameSync(next, path);
}
