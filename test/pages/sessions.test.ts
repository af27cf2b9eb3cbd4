import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientOf, runThatIs, type Client, type Enqueued } from "../e2e/client.ts";
import { importFiles } from "../e2e/library.ts";
import { OUTPUT, stepWorkflow } from "../support/step-workflow.ts";
import { givenPages, type Visitor } from "./browser.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const FILES = stepWorkflow({
  command: "/file",
  title: "File it",
  steps: ["**process** `draft` Write about the payload.", OUTPUT],
  policy: ["- **Approval** `auto`"],
});

let pages: Awaited<ReturnType<typeof givenPages>>;
let agent: Client;
let visitor: Visitor;
let busy: string;
let ended: string;
let run: Enqueued;
beforeAll(async () => {
  pages = await givenPages([{ uid: "stranger", ownerUid: "stranger" }]);
  const { host } = pages;
  agent = clientOf(host, host.keys.agentKey);
  const open = async (name: string, purpose: string) =>
    (await agent.post<{ sessionId: string }>("/api/internal/sessions", { name, purpose, origin: "chat" }))
      .sessionId;
  await importFiles(clientOf(host, host.keys.stewardKey), [{ path: "workflows/file.md", text: FILES }]);
  busy = await open("מושב 🎉", "Plan the May road map");
  ended = await open("agent-7", "Look something up");
  const within = clientOf(host, host.keys.agentKey, busy);
  run = await within.post<Enqueued>("/api/workflows/file/items", { payload: { n: 1 } });
  await runThatIs(agent, run.runId, "done");
  for (let n = 0; n < 3; n++) await within.get("/api/items");
  await within.post(`/api/internal/sessions/${busy}/heartbeat`, { busy: true, turnsCompleted: 9 });
  await agent.post(`/api/internal/sessions/${ended}/end`, { outcome: "found it" });
  visitor = await pages.signIn();
});
afterAll(() => pages.stop());

test("says of each session in words when it last showed itself, and what it does", async () => {
  const { page } = visitor;
  await page.goto("/steward/sessions");
  const row = page.locator("li.card", { hasText: "מושב 🎉" });
  expect(await row.textContent()).toMatch(/Plan the May road map.*active, [\d.]+ s ago.*busy/);
  expect(await page.locator("li.card", { hasText: "agent-7" }).locator(".status").textContent()).toBe(
    "ended",
  );
});

test("shows a session's requests and its runs with what they cost", async () => {
  const { page } = visitor;
  await page.goto("/steward/sessions");
  await page.getByRole("link", { name: "מושב 🎉" }).click();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("מושב 🎉");
  const runs = page.getByRole("region", { name: "Runs of this session, newest first" });
  expect(await runs.locator("tbody tr").textContent()).toMatch(/File it.*done.*\$0\.00/);
  const requests = page.getByRole("region", { name: "Requests and runs, newest first" });
  expect(await requests.locator("tr", { hasText: "GET /api/items" }).count()).toBe(3);
  expect(await requests.getByRole("link", { name: "Run" }).getAttribute("href")).toBe(
    `/steward/runs/${run.runId}`,
  );
  expect(await page.getByText("Sessions are tracking, not authentication").count()).toBe(1);
});

test("pages the requests, and says what the runs cost on the first page alone", async () => {
  const { page } = visitor;
  await page.goto(`/steward/sessions/${busy}?limit=2`);
  expect(await page.getByRole("heading", { name: "Runs" }).count()).toBe(1);
  await page.getByRole("link", { name: "Next page" }).click();
  expect(await page.getByRole("heading", { name: "Runs" }).count()).toBe(0);
  expect(await page.getByRole("region", { name: "Requests and runs" }).locator("tbody tr").count()).toBe(2);
});

test("says how an ended session ended", async () => {
  await visitor.page.goto(`/steward/sessions/${ended}`);
  expect(await visitor.page.locator("dl.pairs").textContent()).toMatch(/Ended.*ago by .*: found it/);
});

test("has a twin with the session as the API answers it", async () => {
  const twin = (await (await visitor.page.request.get(`/steward/sessions/${ended}.json`)).json()) as object;
  expect(twin).toMatchObject({ session: await agent.get(`/api/internal/sessions/${ended}`) });
});

test("answers another owner's session as one that never was", async () => {
  const stranger = await pages.signIn(pages.keys[0]);
  const answers = await Promise.all(
    [busy, `ses_${"0".repeat(32)}`].map(async (id) => {
      const answer = await stranger.page.request.get(`/steward/sessions/${id}`);
      const text = await answer.text();
      return [answer.status(), /<h1>.*?<\/h1>/.exec(text)?.[0], text.replaceAll(id, "ID").length];
    }),
  );
  expect(answers[0]?.[0]).toBe(404);
  expect(answers[0]).toEqual(answers[1]);
  const list = (await (await stranger.page.request.get("/steward/sessions.json")).json()) as object;
  expect(list).toEqual({ items: [], nextCursor: null });
});

test("shows nothing that the browser complains of", () => expect(visitor.complaints).toEqual([]));
