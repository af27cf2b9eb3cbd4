import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { BuildOptions, Metafile } from "esbuild";
import { FUNCTIONS } from "./topology.ts";

/** One function's code, ready to be loaded: a folder with `index.mjs`, whose export is `handler`. */
export type Bundle = { file: string; metafile: Metafile };

const ROOT = resolve(import.meta.dirname, "..");
/** Ignored by git; one folder for each function, its metafile and the digest of its sources beside it. */
const BUNDLES = join(ROOT, ".bundles");

/**
 * How every handler is bundled, for both hosts. The AWS SDK is bundled too: the runtime's own copy floats.
 * Source maps point at the files and do not repeat them.
 */
export const bundleOptions = (entry: string) =>
  ({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    minify: true,
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    mainFields: ["module", "main"],
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
  const made = await Promise.all(
    names.map(async (name) => [name, await bundleFile(FUNCTIONS[name].file, join(BUNDLES, name))] as const),
  );
  return Object.fromEntries(made) as Record<N, Bundle>;
}

/** Bundles one entry file, given under the project's root, into a folder; its cache record stands beside it. */
export async function bundleFile(entry: string, outDir: string): Promise<Bundle> {
  const file = join(outDir, "index.mjs");
  const record = `${outDir}.json`;
  const cached = readRecord(record);
  if (cached?.digest && existsSync(file) && cached.digest === digest(entry, cached.metafile))
    return { file, metafile: cached.metafile };

  const { build } = await import("esbuild");
  const built = await build({ ...bundleOptions(entry), outfile: file, write: false });
  mkdirSync(outDir, { recursive: true });
  for (const output of built.outputFiles)
    replaceFile(join(outDir, relative(outDir, output.path)), output.contents);
  // Last, so that a record never vouches for files that are not there.
  const made = { digest: digest(entry, built.metafile), metafile: built.metafile };
  replaceFile(record, JSON.stringify(made));
  return { file, metafile: built.metafile };
}

type CacheRecord = { digest: string | undefined; metafile: Metafile };

function readRecord(record: string): CacheRecord | undefined {
  try {
    return JSON.parse(readFileSync(record, "utf8")) as CacheRecord;
  } catch {
    // Absent, or half a file of an older form: the bundle is made again.
    return undefined;
  }
}

/** Sha-256 over all that a bundle was made of; undefined when a source is gone. Packages count by the lock file. */
function digest(entry: string, metafile: Metafile): string | undefined {
  const own = Object.keys(metafile.inputs).filter((input) => !input.includes("node_modules/"));
  const hash = createHash("sha256").update(JSON.stringify(bundleOptions(entry)));
  try {
    for (const input of ["package-lock.json", "tsconfig.json", ...own.sort()]) {
      hash.update(`\0${input}\0`).update(readFileSync(join(ROOT, input)));
    }
  } catch {
    return undefined;
  }
  return hash.digest("hex");
}

/** Puts a whole file in place at once, since another process may be reading the earlier one. */
function replaceFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${randomUUID()}.next`;
  writeFileSync(next, content);
  renameSync(next, path);
}
