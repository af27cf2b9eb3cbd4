import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";
import { compileWorkflowFile } from "../lib/workflow-files/compile.ts";
import { diagnosticLine } from "../lib/workflow-files/report.ts";

/** How a workflow file is called, which an import names. */
export const WORKFLOW_FILE = "WORKFLOW.md";

type Names = { workflowId: string; tools: readonly string[]; transforms: readonly string[] };

/**
 * The module that stands for a workflow file: its manifest and its text. Beside the file, `names.ts` says what it may
 * name.
 * @throws {Error} with each diagnostic, its line and its code, when it does not compile
 */
export async function workflowModule(file: string): Promise<string> {
  const text = readFileSync(file, "utf8");
  const names = await namesBeside(file);
  const compiled = compileWorkflowFile(text, names);
  if (!compiled.ok) {
    throw new Error(compiled.diagnostics.map((each) => diagnosticLine(file, each)).join("\n"));
  }
  return `export default ${JSON.stringify({ manifest: compiled.manifest, text })};\n`;
}

/** A workflow file is compiled when a bundle is made, so that no function carries the compiler. */
export const compiledWorkflows: Plugin = {
  name: "compiled-workflows",
  setup(build) {
    build.onLoad({ filter: /[\\/]WORKFLOW\.md$/ }, async ({ path }) => ({
      contents: await workflowModule(path),
      loader: "js",
    }));
  },
};

async function namesBeside(file: string): Promise<Names> {
  const path = join(dirname(file), "names.ts");
  if (!existsSync(path)) throw new Error(`${file} needs a names.ts beside it that exports NAMES`);
  return (
    (await import(
      /* @vite-ignore */ `${pathToFileURL(path).href}?t=${Math.floor(statSync(path).mtimeMs)}`
    )) as {
      NAMES: Names;
    }
  ).NAMES;
}

/**
 * Files that a bundle with workflow files is made of beside its own: another compiler, or other names, make another
 * manifest of the same file. Paths are relative to the root.
 */
export function workflowSources(root: string, sources: readonly string[]): string[] {
  const files = sources.filter((source) => basename(source) === WORKFLOW_FILE);
  if (files.length === 0) return [];
  const compiler = ["lib/workflow-files", "lib/workflows", "lib/workflows/sections", "lib/core"];
  return [
    ...files.map((file) => join(dirname(file), "names.ts")),
    ...compiler.flatMap((folder) => filesOf(root, folder)),
    "infra/workflow-modules.ts",
  ];
}

const filesOf = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
