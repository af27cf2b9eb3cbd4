import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { AuditEntry } from "../../lib/audit/entry.ts";
import type { Scope } from "../../lib/core/principal.ts";
import { heldDraft, runThatIs, type Hold } from "../e2e/client.ts";
import { givenDeciders, heading, holdPath, type Deciders } from "./deciding.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let given: Deciders;
beforeAll(async () => {
  given = await givenDeciders();
});
afterAll(() => given.stop());

const holdOf = (holdId: string) => given.steward.get<Hold>(`/api/holds/${holdId}`);
const readerKey = async (): Promise<string> => {
  const scopes: Scope[] = ["holds:read", "memos:read", "runs:read"];
  const body = { label: "reads", kind: "human", scopes };
  return (await given.steward.post<{ key: string }>("/api/keys", body)).key;
};

test("a reader sees no form, and what a reader sends is refused and on record", async () => {
  const { page, context } = await given.signIn(await readerKey());
  const { hold } = await heldDraft(given.agent, "For readers");
  const steward = await given.signIn();
  await page.goto("/steward/holds");
  expect(await page.locator('main form[method="post"]').count()).toBe(0);
  expect(await page.locator("main").getByRole("checkbox").count()).toBe(0);
  await page.goto(holdPath(hold));
  expect(await heading(page)).toBe(hold.proposal!.title);
  expect(await page.locator("main form").count()).toBe(0);
  const fields = { sha256: hold.sha256, decisionId: "dec-reader", verdict: "approve" };
  const post = (by: typeof page, path: string, form: Record<string, string>) => {
    return by.request.post(path, {
      form,
      headers: { origin: given.host.url, "sec-fetch-site": "same-origin" },
      maxRedirects: 0,
    });
  };
  for (const path of [`${holdPath(hold)}/decision`, "/steward/holds/many"]) {
    const answer = await post(page, path, fields);
    expect(answer.status()).toBe(403);
  }
  // Neither is a form of another sign-in taken, nor one without a token.
  await page.goto(holdPath(hold));
  await steward.page.goto(holdPath(hold));
  for (const formToken of ["", "wrong"]) {
    expect((await post(steward.page, `${holdPath(hold)}/decision`, { ...fields, formToken })).status()).toBe(
      403,
    );
  }
  expect(await holdOf(hold.holdId)).toMatchObject({ open: true, decision: null });
  const { items } = await given.steward.get<{ items: AuditEntry[] }>("/api/audit");
  expect(items.filter(({ holdId }) => holdId === hold.holdId)).toMatchObject([
    { act: "decision_denied", code: "scope_missing" },
  ]);
  await context.close();
  await steward.context.close();
});

test("another library's hold is as one that does not exist, to read and to decide", async () => {
  const { page, context } = await given.signIn(given.eveKey);
  const { hold } = await heldDraft(given.agent, "Not yours");
  for (const path of [holdPath(hold), `${holdPath(hold)}.json`, `${holdPath(hold)}?view=edit`]) {
    const answer = await page.request.get(path);
    expect(answer.status()).toBe(404);
    expect(await answer.text()).not.toContain("Not yours");
  }
  await context.close();
});

test("many are rejected for one reason after a page that lists them, or hidden for a day", async () => {
  const { page, context } = await given.signIn();
  const drafts = [];
  for (const topic of ["Bulk one", "Bulk two", "Bulk three"])
    drafts.push(await heldDraft(given.agent, topic));
  await page.goto("/steward/holds");
  await page.getByRole("button", { name: "Reject selected …" }).click();
  expect(await page.locator("main").innerText()).toContain("choose between one hold and 50");
  await page.goto("/steward/holds");
  for (const { hold } of drafts.slice(0, 2)) {
    await page.getByRole("checkbox", { name: `Select ${hold.proposal!.title}` }).check();
  }
  await page.getByRole("button", { name: "Reject selected …" }).click();
  expect(await heading(page)).toBe("Reject 2 holds?");
  expect(await page.locator(".card").first().innerText()).toMatch(/a new memo, \d+ words/);
  await page.getByLabel("not needed").check();
  await page.getByRole("button", { name: "Reject all 2" }).click();
  expect(await heading(page)).toBe("2 of 2 rejected");
  for (const { runId } of drafts.slice(0, 2)) await runThatIs(given.agent, runId, "cancelled");
  await page.goto("/steward/holds?sort=expiry");
  const { hold } = drafts[2]!;
  await page.getByRole("checkbox", { name: `Select ${hold.proposal!.title}` }).check();
  await page.getByRole("button", { name: "Snooze selected for a day" }).click();
  await page.waitForURL("**/steward/holds");
  expect(await page.getByRole("link", { name: hold.proposal!.title }).count()).toBe(0);
  await page.getByRole("link", { name: "Snoozed" }).click();
  expect(await page.getByRole("link", { name: hold.proposal!.title }).count()).toBe(1);
  expect(await holdOf(hold.holdId)).toMatchObject({ open: true, expiresAt: hold.expiresAt });
  await context.close();
});
