import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientOf, eventually, heldDraft, runThatIs, type Hold, type ShownMemo } from "../e2e/client.ts";
import { givenDeciders, givenMemo, holdPath, saveMemo, untilSaid, type Deciders } from "./deciding.ts";
import type { Visitor } from "./browser.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let given: Deciders;
let ana: Visitor;
beforeAll(async () => {
  given = await givenDeciders();
  ana = await given.signIn();
});
afterAll(() => given.stop());

const memoOf = async (runId: string): Promise<ShownMemo> => {
  const { landing } = await runThatIs(given.agent, runId, "done");
  return given.agent.get<ShownMemo>(`/api/memos/${String(landing?.memoId)}`);
};
const holdOf = (holdId: string) => given.steward.get<Hold>(`/api/holds/${holdId}`);

test("a person's own text is previewed against the draft and lands byte for byte", async () => {
  const { page } = ana;
  const { runId, hold } = await heldDraft(given.agent, "What is a fence?");
  const text = `\n\n# Fences\r\n\nMy own words, <i>"quoted"</i> & ümläut 🎉\n\n${hold.proposal!.text}\n\n`;
  await page.goto(holdPath(hold));
  await page.getByRole("link", { name: "Edit and approve …" }).click();
  expect(await page.getByLabel("Text").inputValue()).toBe(hold.proposal!.text);
  await page.getByLabel("Text").fill(text);
  await page.getByLabel("Title").fill("Fences, as I see them");
  await page.getByRole("button", { name: "Preview" }).click();
  expect(await page.getByRole("heading", { name: "Preview" }).count()).toBe(1);
  expect(await page.locator(".diff ins").allInnerTexts()).toContain("# Fences");
  expect(await holdOf(hold.holdId)).toMatchObject({ open: true });
  await page.getByRole("button", { name: "Approve this text" }).click();
  expect(await page.getByRole("status").innerText()).toContain("Approved, with changes");
  const memo = await memoOf(runId);
  expect(memo).toMatchObject({ title: "Fences, as I see them", body: text.replaceAll("\r\n", "\n") });
  await page.goto(holdPath(hold));
  await page.getByText("What the decider changed of the draft").click();
  expect(await page.locator("#history ~ details .diff ins").allInnerTexts()).toContain("# Fences");
});

test("a long text without a letter of ASCII lands byte for byte too", async () => {
  const { page } = ana;
  const { runId, hold } = await heldDraft(given.agent, "What is long?");
  // 1.8 MB in UTF-8 would be 5.4 MB with a percent sign before each byte, and base64 makes that more than a Lambda takes.
  const text = `${"Ω".repeat(99)}\n`.repeat(9_000);
  await page.goto(`${holdPath(hold)}?view=edit`);
  // Typed, it would take the browser half a minute on a busy machine.
  await page
    .getByLabel("Text")
    .evaluate((area, long) => Object.assign(area, { value: long }) && undefined, text);
  await page.getByRole("button", { name: "Approve this text" }).click();
  expect(await page.getByRole("status").innerText()).toContain("Approved, with changes");
  const { body } = await memoOf(runId);
  expect(body === text).toBe(true);
});

test("an approval of a memo that has changed asks how the two go together, and the merge lands", async () => {
  const { page } = ana;
  const memo = await givenMemo(given.steward, "One\n\nTwo\n\nThree\n");
  const { runId, hold } = await given.held("plain", { topic: "Merging", targetMemoId: memo.memoId });
  await saveMemo(given.steward, memo.memoId, 1, "One\n\nTwo and a half\n\nThree\n");
  await page.goto("/steward/holds");
  expect(await page.locator("main").innerText()).toContain("changed since it was drafted");
  await page.goto(holdPath(hold));
  await page.getByRole("link", { name: "What changed since" }).click();
  expect(await page.locator(".diff ins").allInnerTexts()).toContain(" and a half");
  await page.getByRole("button", { name: "Approve" }).click();
  await untilSaid(page, /how the two go together/);
  const { holdId } = await eventually(async () => {
    const run = await runThatIs(given.agent, runId, "suspended");
    if (run.holdId === hold.holdId) throw new Error("not yet");
    return run;
  });
  await page.goto(`/steward/holds/${holdId}`);
  await page.getByRole("link", { name: "Merge by hand …" }).click();
  const marked = await page.getByLabel("Text").inputValue();
  expect(marked).toContain("<<<<<<< version 2");
  await page.getByRole("button", { name: "Approve this merge" }).click();
  expect(await page.locator("main").innerText()).toContain("still has the marks of a conflict");
  await page.goto(`/steward/holds/${holdId}?view=edit`);
  await page.getByLabel("Text").fill("Both\n");
  await page.getByRole("button", { name: "Approve this merge" }).click();
  expect(await page.getByRole("status").innerText()).toContain("Approved, merged");
  expect(await memoOf(runId)).toMatchObject({ memoId: memo.memoId, contentVersion: 3, body: "Both\n" });
});

test("what was written is not lost when the sign-in has ended meanwhile", async () => {
  const { hold } = await heldDraft(given.agent, "What is kept?");
  const late = await given.signIn();
  await late.page.goto(`${holdPath(hold)}?view=edit`);
  await late.page.getByLabel("Text").fill("An hour of my own words");
  await late.context.clearCookies();
  await late.page.getByRole("button", { name: "Approve this text" }).click();
  expect(await late.page.getByRole("heading", { level: 1 }).innerText()).toBe("You are signed out");
  expect(await late.page.getByLabel("What you wrote, 2").inputValue()).toBe("An hour of my own words");
  expect(await holdOf(hold.holdId)).toMatchObject({ open: true });
});

test("a budget's question is answered by one click", async () => {
  const { page } = ana;
  const { runId, hold } = await given.held("tight", { topic: "Money" });
  await page.goto(holdPath(hold));
  expect(await page.locator("main").innerText()).toMatch(/Limit of the run\s+1 token\s/);
  await page.getByRole("button", { name: "Allow once" }).click();
  expect(await page.getByRole("status").innerText()).toContain("Allowed once");
  const next = await eventually(async () => {
    const run = await runThatIs(clientOf(given.host, given.host.keys.agentKey), runId, "suspended");
    if (run.holdKind !== "output") throw new Error(`it waits for ${run.holdKind}`);
    return run;
  });
  expect(next.holdId).not.toBe(hold.holdId);
});

test("none of these pages has asked for anything elsewhere, or was stopped by its content policy", () => {
  expect(ana.complaints).toEqual([]);
});
