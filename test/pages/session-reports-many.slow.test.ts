import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { givenPages } from "./browser.ts";
import { manyOld, openedBefore, passOver } from "./fleet.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const MANY = 200;
let pages: Awaited<ReturnType<typeof givenPages>>;
let runId: string;
beforeAll(async () => {
  pages = await givenPages([], openedBefore(manyOld(MANY)));
  runId = await passOver(pages);
});
afterAll(() => pages.stop());

test("two hundred sessions are one page, which no width breaks, and one twin", async () => {
  const viewport = { width: 320, height: 640 };
  const { page, context, complaints } = await pages.signIn(undefined, { viewport });
  await page.goto(`/steward/session-reports/${runId}`);
  expect(await page.locator("tbody tr").count()).toBe(MANY);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  // Cards on a phone, a table by name all the same.
  expect(await page.getByRole("row").count()).toBe(MANY + 1);
  expect(await page.getByRole("columnheader", { name: "Verdict" }).count()).toBe(1);
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(1280);
  const twin = await page.request.get(`/steward/session-reports/${runId}.json`);
  expect(((await twin.json()) as { rows: unknown[] }).rows).toHaveLength(MANY);
  expect(complaints).toEqual([]);
  await context.close();
});

test("the reports are listed by pages", async () => {
  for (let n = 0; n < 2; n++) await passOver(pages, { idleMinutes: 5000 });
  const { page, context } = await pages.signIn();
  await page.goto("/steward/session-reports?limit=2");
  expect(await page.locator("li.card").count()).toBe(2);
  expect(await page.getByRole("button", { name: "Look now" }).count()).toBe(1);
  await page.getByRole("link", { name: "Next page" }).click();
  expect(await page.locator("li.card").count()).toBe(1);
  expect(await page.getByRole("button", { name: "Look now" }).count()).toBe(0);
  await context.close();
});
