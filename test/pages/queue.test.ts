import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  clientOf,
  eventually,
  runThatIs,
  type Client,
  type Enqueued,
  type ShownItem,
} from "../e2e/client.ts";
import { importFiles } from "../e2e/library.ts";
import { OUTPUT, stepWorkflow } from "../support/step-workflow.ts";
import { givenPages, type Visitor } from "./browser.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const DRAFT = "**process** `draft` Write about the payload.";
const workflow = (command: string, title: string) => stepWorkflow({ command, title, steps: [DRAFT, OUTPUT] });

let pages: Awaited<ReturnType<typeof givenPages>>;
let agent: Client;
let visitor: Visitor;
let held: Enqueued;
beforeAll(async () => {
  pages = await givenPages([{ uid: "stranger", ownerUid: "stranger" }]);
  const { host } = pages;
  agent = clientOf(host, host.keys.agentKey);
  const steward = clientOf(host, host.keys.stewardKey);
  await importFiles(steward, [
    { path: "workflows/held.md", text: workflow("/held", "Held one") },
    { path: "workflows/paused.md", text: workflow("/paused", "Paused one").replace("`live`", "`paused`") },
    {
      path: "workflows/broken.md",
      text: workflow("/broken", "Broken one").replace("`400k tokens`", "`lots`"),
    },
  ]);
  for (const topic of ["שלום 🎉", "<script>alert(1)</script>", "three"]) {
    await agent.post("/api/workflows/paused/items", { payload: { topic } });
  }
  await agent.post("/api/workflows/broken/items", { payload: {} });
  held = await agent.post<Enqueued>("/api/workflows/held/items", { payload: { topic: "held" } });
  await runThatIs(agent, held.runId, "suspended");
  visitor = await pages.signIn();
});
afterAll(() => pages.stop());

const laneOf = (name: string) =>
  visitor.page.locator("section.lane", { has: visitor.page.getByRole("heading", { name }) });

test("says of each workflow whose items wait why they do", async () => {
  await eventually(async () => {
    await visitor.page.goto("/steward/queue");
    expect(await laneOf("Paused one").locator(".note").textContent()).toContain("the workflow is paused");
    expect(await laneOf("Broken one").locator(".note").textContent()).toContain("does not compile");
  });
  expect(await laneOf("Paused one").locator("li.card").count()).toBe(3);
});

test("shows a payload as the text that it is", async () => {
  await visitor.page.goto("/steward/queue");
  const texts = await laneOf("Paused one").locator(".mono").allTextContents();
  expect(texts.join()).toContain("<script>alert(1)</script>");
  expect(await laneOf("Paused one").locator("a.mono").count()).toBe(0);
});

test("says what a state means, and leads to the run of what was begun", async () => {
  const { page } = visitor;
  await page.goto("/steward/queue");
  await page.getByRole("link", { name: "Claimed" }).click();
  expect(await page.getByText("A run has taken it and has not ended").count()).toBe(1);
  await page.getByRole("link", { name: '{"topic":"held"}' }).click();
  expect(new URL(page.url()).pathname).toBe(`/steward/runs/${held.runId}`);
});

test("goes on from page to page until each item was shown once", async () => {
  const { page } = visitor;
  await page.goto("/steward/queue?limit=1&workflow=/paused");
  const seen: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    seen.push(...(await page.locator("span.mono").allTextContents()));
    const next = page.getByRole("link", { name: "Next page" });
    if ((await next.count()) === 0) break;
    await next.click();
  }
  expect(seen).toHaveLength(3);
  expect(new Set(seen).size).toBe(3);
});

test("teaches where nothing is in a state", async () => {
  await visitor.page.goto("/steward/queue?status=failed");
  expect(await visitor.page.getByText("Nothing has failed.").count()).toBe(1);
});

test("has a twin with the same items as the API, and nothing for another owner", async () => {
  const twin = await visitor.page.request.get("/steward/queue.json?status=claimed");
  const api = await agent.get<{ items: ShownItem[] }>("/api/items?status=claimed");
  expect(await twin.json()).toMatchObject({ status: "claimed", items: api.items, nextCursor: null });
  const stranger = await pages.signIn(pages.keys[0]);
  const none = await stranger.page.request.get("/steward/queue.json");
  expect(await none.json()).toMatchObject({ lanes: [], items: [] });
});

test("shows nothing that the browser complains of", () => expect(visitor.complaints).toEqual([]));
