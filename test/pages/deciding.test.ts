import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { heldDraft, runThatIs, type Hold, type ShownMemo } from "../e2e/client.ts";
import { givenDeciders, givenMemo, heading, holdPath, untilSaid, type Deciders } from "./deciding.ts";
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

test("a draft that is read and approved lands with exactly the bytes that were shown", async () => {
  const { page } = ana;
  const memo = await givenMemo(given.steward, "# Plan\n\n- Slack, in autumn\n");
  const { runId, hold } = await given.held("plain", { topic: "Queues", targetMemoId: memo.memoId });
  await page.goto("/steward/holds");
  await page.getByRole("link", { name: hold.proposal!.title }).click();
  expect(await heading(page)).toBe(hold.proposal!.title);
  expect(await page.locator(".diff del").allInnerTexts()).toContain("- Slack, in autumn");
  expect(await page.locator(".diff ins").allInnerTexts()).toContain("# Queues");
  const twin = await page.request.get(`${holdPath(hold)}.json`);
  expect(await twin.json()).toMatchObject({
    hold: { sha256: hold.sha256, proposal: { text: hold.proposal!.text } },
    before: { text: "# Plan\n\n- Slack, in autumn\n", contentVersion: 1 },
  });
  await page.getByRole("button", { name: "Approve" }).click();
  expect(await page.getByRole("status").innerText()).toMatch(
    /^Approved\. (It lands within minutes|It is in)/,
  );
  await untilSaid(page, /It is in your library/);
  expect(await page.getByRole("button", { name: "Take back" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "the memo, version 2" }).getAttribute("href")).toBe(
    `/steward/memos/${memo.memoId}`,
  );
  expect(await memoOf(runId)).toMatchObject({ memoId: memo.memoId, body: hold.proposal!.text });
});

test("a rejection needs a reason, which stays on record, and writes nothing", async () => {
  const { page } = ana;
  const { runId, hold } = await heldDraft(given.agent, "What is a lease?");
  await page.goto(holdPath(hold));
  await page.getByText("Reject …").click();
  await page.getByLabel("another reason").check();
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  expect(await page.locator("main").innerText()).toContain("a rejection needs a reason");
  expect(await holdOf(hold.holdId)).toMatchObject({ open: true });
  await page.goto(holdPath(hold));
  await page.getByText("Reject …").click();
  await page.getByLabel("duplicate").check();
  await page.getByLabel("In words").fill("of <b>last week's</b>");
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  expect(await page.getByRole("status").innerText()).toContain("Nothing was written");
  expect(await page.getByRole("status").innerText()).toContain("duplicate: of <b>last week's</b>");
  expect(await runThatIs(given.agent, runId, "cancelled")).toMatchObject({ landing: null });
});

test("what is sent back comes again as a draft of its own, beside what has changed", async () => {
  const { page } = ana;
  const { runId, hold } = await heldDraft(given.agent, "What does a doorbell carry?");
  await page.goto(holdPath(hold));
  await page.getByText("Send back …").click();
  await page.getByLabel("What should be changed?").fill("make it shorter");
  await page.getByRole("button", { name: "Send back", exact: true }).click();
  await untilSaid(page, /Draft 2 waits/);
  await page.getByRole("link", { name: "Draft 2", exact: true }).first().click();
  const main = await page.locator("main").innerText();
  expect(main).toContain("“make it shorter”");
  expect(main).toContain("No revisions left");
  await page.getByRole("link", { name: "What has changed between the two" }).click();
  expect(await page.locator(".diff del, .diff ins").count()).toBeGreaterThan(1);

  // The bytes of the first draft are no answer to the second.
  await page.locator('input[name="sha256"]').evaluateAll((inputs, sha) => {
    for (const input of inputs) input.setAttribute("value", sha);
  }, hold.sha256);
  const answered = page.waitForResponse((answer) => answer.request().method() === "POST");
  await page.getByRole("button", { name: "Approve" }).click();
  expect((await answered).status()).toBe(409);
  expect(await heading(page)).toBe("The hold shows other bytes than those you name");
  expect(await page.locator(".diff del").count()).toBeGreaterThan(0);
  await page.getByRole("link", { name: "Read the hold as it is now" }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  const second = await holdOf(page.url().split("/").at(-1)!);
  expect(second.revision).toBe(2);
  expect((await memoOf(runId)).body).toBe(second.proposal!.text);
});

test("of two browsers one decides, and the other is told who did, what and when", async () => {
  const ben = await given.signIn(given.benKey);
  const { runId, hold } = await heldDraft(given.agent, "What is a race?");
  const both = [ana.page, ben.page];
  for (const page of both) {
    await page.goto(holdPath(hold));
    await page.getByText("Reject …").click();
    await page.getByLabel("unsafe").check();
  }
  const statuses = await Promise.all(
    both.map(async (page) => {
      const answered = page.waitForResponse((answer) => answer.request().method() === "POST");
      await page.getByRole("button", { name: "Reject", exact: true }).click();
      return (await answered).status();
    }),
  );
  expect(statuses.toSorted()).toEqual([303, 409]);
  const [winner, loser] = statuses[0] === 303 ? both : both.toReversed();
  await winner!.getByRole("status").waitFor();
  const { username } = (await holdOf(hold.holdId)).decision!;
  expect(await heading(loser!)).toBe("Somebody has already decided");
  expect(await loser!.locator("main").innerText()).toMatch(
    new RegExp(`${username} rejected this \\S+ (s|min) ago`),
  );
  await loser!.getByRole("link", { name: "See what became of it" }).click();
  expect(await loser!.getByRole("status").innerText()).toContain("Rejected");
  await runThatIs(given.agent, runId, "cancelled");
  expect(ben.complaints).toEqual([]);
  await ben.context.close();
});

test("a second click is the same decision", async () => {
  const { page } = ana;
  const { runId, hold } = await heldDraft(given.agent, "What is a double click?");
  await page.goto(holdPath(hold));
  const form = await page.locator('form:has(button:text-is("Approve"))').evaluate((element) => {
    const pairs: [string, string][] = [];
    for (const input of (
      element as unknown as { querySelectorAll(of: string): Iterable<{ name: string; value: string }> }
    ).querySelectorAll("input"))
      pairs.push([input.name, input.value]);
    return pairs;
  });
  const send = () =>
    page.request.post(`${holdPath(hold)}/decision`, {
      form: Object.fromEntries(form),
      headers: { origin: given.host.url, "sec-fetch-site": "same-origin" },
      maxRedirects: 0,
    });
  expect((await Promise.all([send(), send()])).map((answer) => answer.status())).toEqual([303, 303]);
  await memoOf(runId);
  expect((await send()).status()).toBe(303);
  const { decisionId, formToken } = Object.fromEntries(form) as { decisionId: string; formToken: string };
  const late = await page.request.post(`${holdPath(hold)}/take-back`, {
    form: { decisionId, formToken },
    headers: { origin: given.host.url, "sec-fetch-site": "same-origin" },
  });
  expect(late.status()).toBe(409);
  expect(await late.text()).toContain("It cannot be taken back any more");
});

test("none of these pages has asked for anything elsewhere, or was stopped by its content policy", () => {
  expect(ana.complaints).toEqual([]);
});
