import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientOf, type Enqueued, runThatIs } from "../e2e/client.ts";
import { givenPages, type Visitor } from "./browser.ts";
import { givenOneOfEach, type Ids } from "./page-kinds.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let pages: Awaited<ReturnType<typeof givenPages>>;
let ids: Ids;
let visitor: Visitor;
beforeAll(async () => {
  pages = await givenPages();
  ids = await givenOneOfEach(pages);
  visitor = await pages.signIn();
});
afterAll(() => pages.stop());

test("what double brackets name leads to its memo, and a search finds by words and terms", async () => {
  const { page } = visitor;
  await page.goto(`/steward/memos/${ids.memo}`);
  await page.getByRole("link", { name: "Roadmap" }).click();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Roadmap");
  await page.goto("/steward/memos");
  await page.getByRole("searchbox").fill("apples tag:plan");
  await page.getByRole("button", { name: "Search" }).click();
  expect(await page.locator(".card").count()).toBe(1);
  await page.goto("/steward/memos?q=status:open");
  expect(await page.getByRole("searchbox").getAttribute("aria-invalid")).toBe("true");
});

test("any two versions are compared, and each is there as it was", async () => {
  const { page } = visitor;
  await page.goto(`/steward/memos/${ids.memo}`);
  await page.getByRole("button", { name: "Compare" }).click();
  expect(await page.locator(".diff .gone").innerText()).toContain("| apples | 12 |");
  expect(await page.locator(".diff .new").innerText()).toContain("| apples | 13 |");
  await page.getByRole("link", { name: "1", exact: true }).click();
  expect(await page.getByRole("cell", { name: "12" }).count()).toBe(1);
  expect(await page.locator(".note").textContent()).toContain("it is at version 2");
});

test("a memo says who uses it, and that something waits which would change it", async () => {
  const { page } = visitor;
  const agent = clientOf(pages.host, pages.host.keys.agentKey);
  const payload = { topic: "What would change here?", targetMemoId: ids.memo };
  const { runId } = await agent.post<Enqueued>("/api/workflows/draft-memo/items", { payload });
  const { holdId } = await runThatIs(agent, runId, "suspended");
  await vi.waitFor(
    async () => {
      await page.goto(`/steward/memos/${ids.memo}`);
      expect(await page.locator(".note.warn a").getAttribute("href")).toBe(`/steward/holds/${holdId}`);
    },
    { timeout: 30_000 },
  );
  await page.goto("/steward/memos?title=House%20style");
  expect(await page.getByRole("region", { name: "Used by" }).innerText()).toMatch(
    /\/draft-memo.*always loads it/,
  );
});
