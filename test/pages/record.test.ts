import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Notice } from "../../lib/notices/notice.ts";
import { clientOf, eventually, runThatIs, type Client, type Enqueued, type Hold } from "../e2e/client.ts";
import { importFiles } from "../e2e/library.ts";
import { OUTPUT, stepWorkflow } from "../support/step-workflow.ts";
import { givenPages, type Visitor } from "./browser.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const DRAFT = "**process** `draft` Write about the payload.";
const HELD = stepWorkflow({ command: "/held", title: "Held one", steps: [DRAFT, OUTPUT] });
const FAILS = stepWorkflow({
  command: "/find",
  title: "Find <i>enough</i> 🔎",
  loads: ["- **search** `qqqq zzzz` top `6` at least `6`"],
  steps: ["**context** `gather` Load.", DRAFT, OUTPUT],
  policy: ["- **On failure** `notify`"],
});

let pages: Awaited<ReturnType<typeof givenPages>>;
let agent: Client;
let steward: Client;
let visitor: Visitor;
let hold: Hold;
beforeAll(async () => {
  pages = await givenPages([{ uid: "stranger", ownerUid: "stranger" }]);
  const { host } = pages;
  agent = clientOf(host, host.keys.agentKey);
  steward = clientOf(host, host.keys.stewardKey);
  await importFiles(steward, [
    { path: "workflows/held.md", text: HELD },
    { path: "workflows/find.md", text: FAILS },
  ]);
  for (const n of [1, 2, 3]) {
    await agent.post("/api/workflows/find/items", { payload: { n } });
  }
  await eventually(async () => {
    if ((await unread()).length < 3) throw new Error("not all are told yet");
  });
  const { runId } = await agent.post<Enqueued>("/api/workflows/held/items", { payload: {} });
  const { holdId } = await runThatIs(agent, runId, "suspended");
  hold = await agent.get<Hold>(`/api/holds/${holdId}`);
  await agent.ask("POST", `/api/holds/${holdId}/decision`, { verdict: "approve", sha256: hold.sha256 });
  await steward.post(`/api/holds/${holdId}/decision`, {
    verdict: "reject",
    sha256: hold.sha256,
    reason: "not needed",
  });
  visitor = await pages.signIn();
});
afterAll(() => pages.stop());

const unread = () => agent.all<Notice>("/api/notices?state=unread");

describe("notices", () => {
  test("are marked as read by a form, one or all that are shown", async () => {
    const { page } = visitor;
    await page.goto("/steward/notices");
    const cards = page.locator("li.card");
    expect(await cards.count()).toBe(3);
    expect(await cards.first().textContent()).toContain("Find <i>enough</i> 🔎");
    expect(await cards.first().textContent()).toContain("search_too_few");
    await page
      .getByRole("button", { name: /^Mark as read/ })
      .first()
      .click();
    await page.waitForURL("**/steward/notices");
    expect(await cards.count()).toBe(2);
    expect(await unread()).toHaveLength(2);
    await page.getByRole("button", { name: "Mark these 2 as read" }).click();
    expect(await page.getByText("Nothing new.").count()).toBe(1);
    await page.getByRole("link", { name: "Read", exact: true }).click();
    expect(await cards.count()).toBe(3);
  });

  test("are marked by nobody without the page's form, and by no other owner", async () => {
    const [notice] = await agent.all<Notice>("/api/notices");
    const path = `/steward/notices/${notice?.noticeId}/read`;
    const headers = { "sec-fetch-site": "same-origin" };
    const forged = await visitor.page.request.post(path, { headers, form: { formToken: "x".repeat(43) } });
    expect(forged.status()).toBe(403);
    const stranger = await pages.signIn(pages.keys[0]);
    await stranger.page.goto("/steward/notices");
    expect(await stranger.page.getByText("Nothing new.").count()).toBe(1);
  });

  test("have a twin", async () => {
    const twin = await visitor.page.request.get("/steward/notices.json?state=all");
    const items = await agent.all<Notice>("/api/notices");
    expect(await twin.json()).toMatchObject({ state: "all", items, nextCursor: null });
  });
});

describe("the record", () => {
  test("says who asked for what, what was refused, and what stands", async () => {
    const { page } = visitor;
    await page.goto("/steward/audit");
    const lines = await page.locator("li.card").allTextContents();
    expect(lines).toHaveLength(4);
    expect(lines[2]).toMatch(/said “reject” to a hold, with a reason.*It stands/);
    expect(lines[3]).toMatch(
      /asked to decide a hold.*Refused: This key may not do that scope_missing.*Denied/,
    );
    expect(lines[0]).toMatch(/signed in to these pages/);
    expect(lines[1]).toMatch(/made a link to sign in by/);
    expect(await page.getByRole("link", { name: "the hold" }).first().getAttribute("href")).toBe(
      `/steward/holds/${hold.holdId}`,
    );
  });

  test("begins when it is asked to, and goes on from page to page", async () => {
    const { page } = visitor;
    await page.goto("/steward/audit?limit=1");
    await page.getByLabel("Since").fill("7d");
    await page.getByRole("button", { name: "Show" }).click();
    expect(page.url()).toContain("since=7d");
    expect(await page.getByLabel("Since").inputValue()).toBe("7d");
    await page.goto("/steward/audit?limit=1&since=7d");
    for (const says of ["a link", "reject", "Denied"]) {
      await page.getByRole("link", { name: "Next page" }).click();
      expect(await page.locator("li.card").allTextContents()).toEqual([expect.stringContaining(says)]);
    }
    await page.getByRole("link", { name: "Next page" }).click();
    expect(await page.getByText("That was all of it.").count()).toBe(1);
    const future = await page.request.get("/steward/audit?since=tomorrow");
    expect(future.status()).toBe(400);
  });

  test("is another owner's own, and an agent's key sees none of it", async () => {
    const stranger = await pages.signIn(pages.keys[0]);
    const twin = await stranger.page.request.get("/steward/audit.json");
    const { items } = (await twin.json()) as { items: { act: string; by: string }[] };
    const own = items.filter(({ act, by }) => act.startsWith("sign") && by.startsWith("human:"));
    expect(own.length).toBeGreaterThan(0);
    expect(items).toEqual(own);
    expect(new Set(items.map(({ by }) => by)).size).toBe(1);
  });
});

test("show nothing that the browser complains of", () => expect(visitor.complaints).toEqual([]));
