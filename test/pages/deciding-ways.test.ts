import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { eventually, heldDraft, runThatIs, send } from "../e2e/client.ts";
import { givenDeciders, holdPath, untilSaid, type Deciders } from "./deciding.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let given: Deciders;
beforeAll(async () => {
  given = await givenDeciders();
});
afterAll(() => given.stop());

test("with script off everything is there: read, edit, preview, approve, take back", async () => {
  const visitor = await given.signIn(undefined, { javaScriptEnabled: false });
  const { page } = visitor;
  const { hold } = await heldDraft(given.agent, "Without script");
  await page.goto("/steward/holds");
  await page.getByRole("link", { name: hold.proposal!.title }).click();
  await page.getByRole("link", { name: "Raw" }).click();
  expect(await page.locator("pre.raw").textContent()).toBe(hold.proposal!.text);
  await page.getByRole("link", { name: "Edit and approve …" }).click();
  await page.getByLabel("Text").fill("Mine.\n");
  await page.getByRole("button", { name: "Preview" }).click();
  expect(await page.getByLabel("Text").inputValue()).toBe("Mine.\n");
  await page.getByRole("link", { name: "Discard" }).click();
  await page.getByText("Snooze …").click();
  await page.getByRole("button", { name: "Snooze" }).click();
  expect(await page.locator("main").innerText()).toContain("You snoozed it");
  await page.getByRole("button", { name: "Show it in my list again" }).click();
  expect(await page.locator("main").innerText()).not.toContain("You snoozed it");
  await page.getByRole("button", { name: "Approve" }).click();
  expect(await page.getByRole("status").innerText()).toContain("Approved.");
  await untilSaid(page, /It is in your library/);
  expect(visitor.complaints).toEqual([]);
  await visitor.context.close();
});

test("by keyboard alone a hold is opened, read and approved", async () => {
  const { page, context } = await given.signIn();
  const { runId, hold } = await heldDraft(given.agent, "By keyboard");
  await page.goto("/steward/holds");
  const focused = () => page.locator(":focus");
  const tabTo = async (name: RegExp) => {
    for (let presses = 0; presses < 80; presses++) {
      await page.keyboard.press("Tab");
      if (
        name.test(
          (await focused()
            .innerText()
            .catch(() => "")) ?? "",
        )
      )
        return;
    }
    throw new Error(`no focus ever came to ${name}`);
  };
  await tabTo(new RegExp(hold.proposal!.title));
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${holdPath(hold)}`);
  await tabTo(/^Approve$/);
  await page.keyboard.press("Enter");
  await page.getByRole("status").waitFor();
  expect((await runThatIs(given.agent, runId, "done")).landing).not.toBeNull();
  await context.close();
});

test("a hold that nobody decided in time says so, and takes no decision any more", async () => {
  const { page, context } = await given.signIn();
  const { runId, hold } = await given.held("short", { topic: "Too late" });
  await page.goto(holdPath(hold));
  await eventually(async () => {
    await send(given.host, {
      method: "GET",
      path: "/api/internal/cron/run-workflows",
      headers: { "x-internal-key": given.host.keys.internalKey },
    });
    const { status } = await given.agent.get<{ status: string }>(`/api/runs/${runId}`);
    if (status !== "cancelled") throw new Error(`the run is ${status}`);
  });
  const answered = page.waitForResponse((answer) => answer.request().method() === "POST");
  await page.getByRole("button", { name: "Approve" }).click();
  expect((await answered).status()).toBe(409);
  expect(await page.locator("main").innerText()).toContain("the system let this expire");
  await page.getByRole("link", { name: "See what became of it" }).click();
  expect(await page.getByRole("status").innerText()).toContain("Nobody decided in time");
  await context.close();
});
