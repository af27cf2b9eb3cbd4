import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { EXIT, Failure } from "../failure.ts";
import { readFile } from "../options.ts";

export type WorkflowFile = { path: string; text: string };

/** The files that are named, and in folders those that are workflows, in the order of their names. */
export function workflowFiles(paths: readonly string[]): WorkflowFile[] {
  const files = new Map<string, WorkflowFile>();
  for (const path of paths) {
    if (isFolder(path)) {
      for (const found of markdownIn(path)) {
        const text = readFile(found);
        if (looksLikeWorkflow(text)) files.set(found, { path: found, text });
      }
    } else files.set(path, { path, text: readFile(path) });
  }
  return [...files.values()];
}

/** Every Markdown file below a folder; hidden folders and installed packages are left out. */
export function markdownIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
      if (entry.isDirectory()) return markdownIn(path);
      return entry.isFile() && /\.(?:md|markdown)$/i.test(entry.name) ? [path] : [];
    });
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    throw new Failure(EXIT.notFound, `there is no file or folder ${path}`);
  }
}

const SECTIONS = ["Trigger", "Load Contract", "Steps", "Policy"] as const;
const SECTION = /^ {0,3}#{1,3}[ \t]*(trigger|load contract|steps|policy)[ \t]*:?[ \t]*#*[ \t]*$/gim;

/** The sections of a workflow that a text has, and those that it lacks. */
export function sectionsOf(text: string): { has: string[]; lacks: string[] } {
  const found = new Set([...text.matchAll(SECTION)].map(([, name = ""]) => name.toLowerCase()));
  return {
    has: SECTIONS.filter((name) => found.has(name.toLowerCase())),
    lacks: SECTIONS.filter((name) => !found.has(name.toLowerCase())),
  };
}

/** A note among workflows is no broken workflow; one with a misspelt section still is one. */
const looksLikeWorkflow = (text: string): boolean =>
  (text.match(SECTION)?.length ?? 0) >= 2 ||
  /^(?:memoType|type):[ \t]*workflow[ \t]*$/m.test(text.slice(0, 4096));
