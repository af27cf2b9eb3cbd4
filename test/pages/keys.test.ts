import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientOf, heldDraft, type Client } from "../e2e/client.ts";
import { demoLibrary, importFiles } from "../e2e/library.ts";
import { givenPages } from "./browser.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let pages: Awaited<ReturnType<typeof givenPages>>;
let agent: Client;
let holdIds: string[];
beforeAll(async () => {
  pages = await givenPages();
  agent = clientOf(pages.host, pages.host.keys.agentKey);
  await importFiles(clientOf(pages.host, pages.host.keys.stewardKey), demoLibrary());
  holdIds = [];
  for (const topic of ["What is a lane?", "What is a doorbell?", "What is a hold?"]) {
    holdIds.push((await heldDraft(agent, topic)).hold.holdId);
  }
});
afterAll(() => pages.stop());

test("j and k go through a list, x selects, Enter opens, and while something is typed they are letters", async () => {
  const { page, complaints } = await pages.signIn();
  const focused = () => page.evaluate('document.activeElement.closest("[data-id]")?.dataset.id');
  await page.keyboard.press("j");
  expect(await focused()).toBe(holdIds[0]);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  expect(await focused()).toBe(holdIds[2]);
  await page.keyboard.press("k");
  expect(await focused()).toBe(holdIds[1]);
  await page.keyboard.press("x");
  expect(await page.locator("input[type=checkbox]:checked").getAttribute("value")).toContain(holdIds[1]);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/steward/holds/${holdIds[1]}`);
  await page.goto("/steward/memos");
  await page.keyboard.press("/");
  await page.keyboard.type("jxk");
  expect(await page.getByRole("searchbox").inputValue()).toBe("jxk");
  expect(complaints).toEqual([]);
});

test("a key takes a decision in hand and does not make it", async () => {
  const { page } = await pages.signIn();
  await page.goto(`/steward/holds/${holdIds[0]}`);
  await page.keyboard.press("a");
  expect(await page.evaluate("document.activeElement.textContent.trim()")).toBe("Approve");
  expect(await agent.get(`/api/holds/${holdIds[0]}`)).toMatchObject({ open: true });
});

test("? says what the keys of this page do", async () => {
  const { page } = await pages.signIn();
  await page.goto(`/steward/holds/${holdIds[0]}`);
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog");
  expect(await dialog.locator("dd").allTextContents()).toEqual(
    expect.arrayContaining(["Approve", "Edit and approve …", "Send back …", "Reject …"]),
  );
  await dialog.getByRole("button", { name: "Close" }).click();
  expect(await dialog.count()).toBe(0);
});

test("what is new is told and nothing moves, until somebody asks for it", async () => {
  const { page, context } = await pages.signIn();
  await context.clock.install();
  await page.goto("/steward/holds");
  expect(await page.locator("[data-id]").count()).toBe(3);
  await context.clock.fastForward(16_000);
  expect(await page.locator(".fresh a").count()).toBe(0);
  await heldDraft(agent, "What is a pass?");
  await context.clock.fastForward(16_000);
  const bar = page.getByRole("link", { name: "1 new – show" });
  await bar.waitFor();
  expect(await page.locator("[data-id]").count()).toBe(3);
  await bar.click();
  await page.locator("[data-id]").nth(3).waitFor();
});
