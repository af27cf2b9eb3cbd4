import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { writesOf, untilQuiet } from "../e2e/test-host.ts";
import { givenPages, type Visitor } from "./browser.ts";
import { givenOneOfEach } from "./page-kinds.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let pages: Awaited<ReturnType<typeof givenPages>>;
let visitor: Visitor;
beforeAll(async () => {
  pages = await givenPages();
  await givenOneOfEach(pages);
  visitor = await pages.signIn();
});
afterAll(() => pages.stop());

test("what is wrong stands below its line, with the line as it should be", async () => {
  const { page } = visitor;
  await page.goto("/steward/workflows/broken");
  const line = page.locator("#L5");
  expect(await line.locator("mark.error").textContent()).toBe("**Statsu**");
  const remark = page.locator("#L5 + .remark");
  expect(await remark.innerText()).toContain('Unknown field "Statsu" in Trigger');
  const target = await remark.getByRole("button", { name: "Copy" }).getAttribute("data-copy");
  expect(await page.locator(`[id="${target}"]`).textContent()).toBe("- **Status** `live`");
});

test("a dry run shows the prompts and writes nothing; what is no payload is told in place", async () => {
  const { page, complaints } = visitor;
  await page.goto("/steward/workflows/draft-memo");
  expect(await page.getByLabel("Payload, as JSON").inputValue()).toBe('{\n  "topic": ""\n}');
  await page.getByLabel("Payload, as JSON").fill('{"topic": "What is a doorbell?"}');
  await untilQuiet(pages.host);
  const before = writesOf(pages.host);
  await page.getByRole("button", { name: "Show the prompts" }).click();
  await page.locator(".prompt summary").first().click();
  expect(await page.locator(".prompt").first().innerText()).toContain("What is a doorbell?");
  expect(writesOf(pages.host)).toEqual(before);
  await page.getByLabel("Payload, as JSON").fill("{topic}");
  await page.getByRole("button", { name: "Show the prompts" }).click();
  expect(await page.locator("#payload-fault").innerText()).toContain("This is no JSON");
  expect(await page.getByLabel("Payload, as JSON").inputValue()).toBe("{topic}");
  expect(complaints).toEqual([]);
});
