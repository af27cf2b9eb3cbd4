import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Imported, ImportFile } from "../../lib/memos/import.ts";
import type { Client } from "./client.ts";

const ROOT = join(import.meta.dirname, "../..");

function filesOf(folder: string): ImportFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      path: relative(folder, file).split(sep).join("/"),
      text: readFileSync(file, "utf8"),
    }));
}

/** The rule memos and example workflows that a first start brings in. */
export const demoLibrary = (): ImportFile[] => filesOf(join(ROOT, "infra/local/library"));

/** A person's real notes, a folder a subject. */
export const notes = (): ImportFile[] => filesOf(join(ROOT, "test/fixtures/til"));

/** Files of one request, as the route takes them. */
const BATCH = 100;

/** Imports files in as many requests as they need. */
export async function importFiles(client: Client, files: readonly ImportFile[]): Promise<Imported[]> {
  const imported: Imported[] = [];
  for (let from = 0; from < files.length; from += BATCH) {
    const batch = files.slice(from, from + BATCH);
    const answer = await client.post<{ files: Imported[] }>("/api/memos/import", { files: batch });
    imported.push(...answer.files);
  }
  return imported;
}
