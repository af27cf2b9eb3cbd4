import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientOf, runThatIs, type Client, type Enqueued, type Hold } from "../e2e/client.ts";
import { demoLibrary, importFiles } from "../e2e/library.ts";
import { givenPages } from "./browser.ts";
import { saveMemo } from "./deciding.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `UPDATE_PICTURES=1` puts them where the README shows them. */
const SHOWN = join(import.meta.dirname, "../../docs/pictures");
const OUTPUT = join(import.meta.dirname, "output");
const TOPIC = "Why does a loop hold its drafts?";

let pages: Awaited<ReturnType<typeof givenPages>>;
let agent: Client;
let steward: Client;
beforeAll(async () => {
  pages = await givenPages();
  agent = clientOf(pages.host, pages.host.keys.agentKey);
  steward = clientOf(pages.host, pages.host.keys.stewardKey);
  await importFiles(steward, demoLibrary());
  mkdirSync(OUTPUT, { recursive: true });
});
afterAll(() => pages.stop());

async function held(payload: object): Promise<Hold> {
  const { runId } = await agent.post<Enqueued>("/api/workflows/draft-memo/items", { payload });
  const { holdId } = await runThatIs(agent, runId, "suspended");
  return agent.get<Hold>(`/api/holds/${holdId}`);
}

/** A memo that stands beside a draft of the same, with some words of a person between them. */
async function draftOfAnEditedMemo(): Promise<Hold> {
  const first = await held({ topic: TOPIC });
  const { text = "", title = "" } = first.proposal ?? {};
  const edited = text.replace(/^> (\w+) /m, "> Always ").replace(/\n## More[\s\S]*$/, "\n");
  const memo = await steward.post<{ memoId: string }>("/api/memos", { title, body: edited });
  await saveMemo(steward, memo.memoId, 1, `${edited}\nA person's own last line.\n`);
  return held({ topic: TOPIC, targetMemoId: memo.memoId });
}

test("the two pictures of the README are of what is there", async () => {
  const { holdId } = await draftOfAnEditedMemo();
  await held({ topic: "What is a doorbell?" });
  const { page, complaints } = await pages.signIn(undefined, {
    viewport: { width: 1200, height: 760 },
    colorScheme: "light",
    deviceScaleFactor: 1.5,
  });
  for (const [name, path, shows] of [
    ["inbox", "/steward/holds", ".card"],
    ["hold", `/steward/holds/${holdId}?view=diff`, "ins"],
  ] as const) {
    await page.goto(path);
    expect(await page.locator(shows).count()).toBeGreaterThan(0);
    const file = join(OUTPUT, `readme-${name}.png`);
    await page.screenshot({ path: file });
    if (process.env["UPDATE_PICTURES"]) copyFileSync(file, join(SHOWN, `${name}.png`));
  }
  expect(complaints).toEqual([]);
});
