import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { callOrThrow } from "./api-call.ts";
import type { DataFolder } from "./data/data-folder.ts";
import type { LocalKeys } from "./data/keys.ts";

/** There once the demo library is in and the brief is enqueued; a start that was broken off does both again. */
export const DONE_FILE = "first-start-done";
const LIBRARY = join(import.meta.dirname, "library");
const WORKFLOW = "draft-memo";
const TOPIC = "Why does this loop hold its drafts for a person, and what does the house style ask of them?";
/** How long the first draft may take before the start goes on without it. */
const PATIENCE_MS = 20_000;
/** Rarer would be a wait of its own; more often would take the processor from the draft. */
const POLL_MS = 100;

type FirstStart = { data: DataFolder; url: string; keys: LocalKeys; say: (line: string) => void };

/** Whether the demo library is still to come into this folder. */
export const isFirstStart = (data: DataFolder): boolean => data.read(DONE_FILE) === undefined;

/** Fills a new folder with the demo library and one brief, and waits for its draft. Never throws: the host runs without. */
export async function firstStart(host: FirstStart): Promise<void> {
  const { data, say } = host;
  try {
    await importLibrary(host);
    await enqueueBrief(host);
    data.write(DONE_FILE, "");
    say("Waiting for the first draft …");
    if (await waitForHold(host)) {
      say("A draft is waiting for you. Show it, and approve it: npm run approve");
    } else {
      say(`No draft after ${PATIENCE_MS / 1000} s; what happened is in ${join(data.path, "logs")}.`);
    }
  } catch (error) {
    say(`The first start is not complete: ${error instanceof Error ? error.message : String(error)}`);
    say("The host runs all the same, and the next start tries again.");
  }
}

async function importLibrary({ url, keys, say }: FirstStart): Promise<void> {
  const files = readdirSync(LIBRARY, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      path: relative(LIBRARY, file).split(sep).join("/"),
      text: readFileSync(file, "utf8"),
    }));
  const steward = { url, key: keys.stewardKey };
  await callOrThrow(steward, "POST", "/api/memos/import", { body: { files } });
  say(`Imported the demo library: ${files.length} memos.`);
}

async function enqueueBrief({ url, keys, say }: FirstStart): Promise<void> {
  const agent = { url, key: keys.agentKey };
  const session = await callOrThrow(agent, "POST", "/api/internal/sessions", {
    body: { name: "first-start", purpose: "Enqueue one brief, so that a draft waits after the first start" },
  });
  await callOrThrow(agent, "POST", `/api/workflows/${WORKFLOW}/items`, {
    // One key, so that a repeated first start is the same item.
    body: { payload: { topic: TOPIC }, dedupeKey: "first-start" },
    sessionId: String(session["sessionId"]),
  });
  say(`Enqueued one brief at /${WORKFLOW}.`);
}

async function waitForHold({ url, keys }: FirstStart): Promise<boolean> {
  const steward = { url, key: keys.stewardKey };
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const { items } = await callOrThrow(steward, "GET", "/api/holds");
    if (Array.isArray(items) && items.length > 0) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}
