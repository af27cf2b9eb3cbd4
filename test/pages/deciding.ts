import type { Page } from "playwright-core";
import { PLAIN_WORKFLOW } from "../support/loop.ts";
import { clientOf, eventually, runThatIs, type Client, type Enqueued, type Hold } from "../e2e/client.ts";
import { demoLibrary, importFiles } from "../e2e/library.ts";
import { OWNER } from "../e2e/test-host.ts";
import { givenPages } from "./browser.ts";

/** Workflows whose holds end soon, or have spent their budget before they begin. */
const named = (name: string): string =>
  PLAIN_WORKFLOW.replaceAll("Plain", name).replaceAll("/plain", `/${name.toLowerCase()}`);
const SHORT = `${named("Short")}- **Hold expires** \`1s\`\n`;
const TIGHT = named("Tight").replace("`40k tokens`", "`1 tokens`");

/** A host with workflows that hold, its steward, another steward of the same library, and a stranger. */
export async function givenDeciders() {
  const people = [
    { uid: "ben", ownerUid: OWNER },
    { uid: "eve", ownerUid: "stranger" },
  ];
  const pages = await givenPages(people);
  const agent = clientOf(pages.host, pages.host.keys.agentKey);
  const steward = clientOf(pages.host, pages.host.keys.stewardKey);
  await importFiles(steward, [
    ...demoLibrary(),
    { path: "plain.md", text: PLAIN_WORKFLOW },
    { path: "short.md", text: SHORT },
    { path: "tight.md", text: TIGHT },
  ]);
  const held = async (workflow: string, payload: Record<string, string>) => {
    const path = `/api/workflows/${workflow}/items`;
    const { runId } = await agent.post<Enqueued>(path, { payload });
    const { holdId } = await runThatIs(agent, runId, "suspended");
    return { runId, hold: await steward.get<Hold>(`/api/holds/${holdId}`) };
  };
  return { ...pages, agent, steward, benKey: pages.keys[0]!, eveKey: pages.keys[1]!, held };
}
export type Deciders = Awaited<ReturnType<typeof givenDeciders>>;

/** A memo that a workflow is asked to change. */
export const givenMemo = (
  steward: Client,
  body: string,
): Promise<{ memoId: string; contentVersion: number }> =>
  steward.post("/api/memos", { title: `Plan ${crypto.randomUUID()}`, body });

/** Saves another text of a memo, as a person does while a draft waits. */
export async function saveMemo(
  steward: Client,
  memoId: string,
  version: number,
  body: string,
): Promise<void> {
  const answer = await steward.ask("PUT", `/api/memos/${memoId}`, { body }, { "if-match": `"${version}"` });
  if (answer.status !== 200) throw new Error(`the memo was not saved: ${answer.text}`);
}

export const holdPath = ({ holdId }: Pick<Hold, "holdId">): string => `/steward/holds/${holdId}`;

export const heading = (page: Page): Promise<string | null> =>
  page.getByRole("heading", { level: 1 }).textContent();

/** Loads a page again until it says something. */
export const untilSaid = (page: Page, says: RegExp): Promise<void> =>
  eventually(async () => {
    await page.reload();
    const text = await page.locator("main").innerText();
    if (!says.test(text)) throw new Error(`the page says: ${text.slice(0, 400)}`);
  });
