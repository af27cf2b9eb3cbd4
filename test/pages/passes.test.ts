import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { passesOfDay } from "../../functions/pages/pass-day.ts";
import { HOUR_MS } from "../../lib/core/duration.ts";
import { chartsOf, foldQuiet } from "../../lib/pages/passes-day.ts";
import { createPassStore, type PassRecord } from "../../lib/passes/store.ts";
import { emptyReport } from "../../lib/runs/pass-report.ts";
import { clientOf, runThatIs, type Client, type Enqueued } from "../e2e/client.ts";
import { importFiles } from "../e2e/library.ts";
import { startEngine } from "../support/engine.ts";
import { OUTPUT, stepWorkflow } from "../support/step-workflow.ts";
import { givenPages, type Visitor } from "./browser.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const NOW = 1_000 * HOUR_MS;
const report = (n: number, at: number, counts: Partial<PassRecord> = {}): PassRecord => ({
  ...emptyReport(),
  passId: `pass_${n}`,
  round: "pass",
  at,
  ...counts,
});

describe("the rounds of a day", () => {
  test("cost a bounded number of reads, whatever the history", async () => {
    const engine = await startEngine();
    try {
      const passes = createPassStore(engine.doc, engine.tables);
      const older = report(0, NOW - 25 * HOUR_MS);
      const some = Array.from({ length: 45 }, (_, n) => report(n + 1, NOW - n, { started: 1 }));
      for (const pass of [older, ...some]) await passes.put(pass);
      engine.resetCounts();
      const few = await passesOfDay(passes, NOW, { most: 20, atOnce: 10 });
      expect(engine.counts()["Query"]).toBe(2);
      expect(few).toEqual({ day: some.slice(0, 20), complete: false });
      expect(await passesOfDay(passes, NOW)).toEqual({ day: some, complete: true });
    } finally {
      await engine.stop();
    }
  });

  test("are added up by the hour, the newest last", () => {
    const day = [
      report(1, NOW, { started: 2, pending: 5, ms: 10 }),
      report(2, NOW - HOUR_MS + 1, { started: 1, pending: 7, ms: 30 }),
      report(3, NOW - 24 * HOUR_MS + 1, { failedItems: 4, expired: 1, resumed: 2 }),
    ];
    const { hours } = chartsOf(day, true, NOW);
    expect(hours).toHaveLength(24);
    expect(hours[23]).toMatchObject({ rounds: 2, started: 3, pending: 7, ms: 30 });
    expect(hours[0]).toMatchObject({ rounds: 1, failed: 4, expired: 1, resumed: 2 });
  });

  test("are folded where they only looked, and nowhere else", () => {
    const quiet = { skipped: { paused: 1 }, pending: 3 };
    const passes = [
      report(1, NOW, quiet),
      report(2, NOW, quiet),
      report(3, NOW, { ...quiet, expired: 1 }),
      report(4, NOW, quiet),
    ];
    expect(foldQuiet(passes).map((group) => group.map(({ passId }) => passId))).toEqual([
      ["pass_1", "pass_2"],
      ["pass_3"],
      ["pass_4"],
    ]);
  });
});

describe("the pages of passes and of cost", () => {
  let pages: Awaited<ReturnType<typeof givenPages>>;
  let agent: Client;
  let visitor: Visitor;
  beforeAll(async () => {
    pages = await givenPages([{ uid: "stranger", ownerUid: "stranger" }]);
    const { host } = pages;
    agent = clientOf(host, host.keys.agentKey);
    const text = stepWorkflow({
      command: "/file",
      title: "📚 File it",
      steps: ["**process** `draft` Write about the payload.", OUTPUT],
      policy: ["- **Approval** `auto`"],
    });
    await importFiles(clientOf(host, host.keys.stewardKey), [{ path: "workflows/file.md", text }]);
    const { runId } = await agent.post<Enqueued>("/api/workflows/file/items", { payload: { n: 1 } });
    await runThatIs(agent, runId, "done");
    visitor = await pages.signIn();
  });
  afterAll(() => pages.stop());

  test("draw the day, and have each chart as a table too", async () => {
    const { page } = visitor;
    await page.goto("/steward/passes");
    const items = page.locator("figure", { has: page.getByRole("heading", { name: "Items" }) });
    expect(await items.getByRole("img").getAttribute("aria-label")).toBe(
      "Items: 1 started, 0 failed to start",
    );
    expect(await items.locator("rect.svg-accent[x]").count()).toBe(1);
    await items.getByText("As a table").click();
    expect(await items.locator("tbody tr").count()).toBe(24);
    expect(await items.locator("tbody tr").last().textContent()).toMatch(/UTC10$/);
    expect(await page.locator("figure svg[role=img]").count()).toBe(4);
  });

  test("have no day in their later pages", async () => {
    const { page } = visitor;
    const { runId } = await agent.post<Enqueued>("/api/workflows/file/items", { payload: { n: 2 } });
    await runThatIs(agent, runId, "done");
    await page.goto("/steward/passes?limit=1");
    expect(await page.locator("figure").count()).toBe(4);
    await page.getByRole("link", { name: "Next page" }).click();
    expect(await page.locator("figure").count()).toBe(0);
    expect(await page.getByRole("region", { name: "Reports of passes" }).locator("tbody tr").count()).toBe(1);
  });

  test("name what was spent by workflow, day and model, as the API does", async () => {
    const { page } = visitor;
    await page.goto("/steward/cost");
    expect(await page.getByRole("region", { name: "Cost by workflow" }).textContent()).toContain(
      "📚 File it",
    );
    await page.getByRole("link", { name: "Model", exact: true }).click();
    expect(await page.getByRole("region", { name: "Cost by model" }).locator("tbody tr").count()).toBe(1);
    await page.getByRole("link", { name: "30 days" }).click();
    expect(page.url()).toContain("by=model&since=30d");
    const twin = (await (await page.request.get("/steward/cost.json?by=day&since=30d")).json()) as object;
    const api = await agent.get<{ total: object; from: string }>("/api/cost?by=day&since=30d");
    expect(twin).toMatchObject({ total: api.total, from: api.from });
  });

  test("say nothing of another owner's spending", async () => {
    const stranger = await pages.signIn(pages.keys[0]);
    await stranger.page.goto("/steward/cost?by=session");
    expect(await stranger.page.getByText("Nothing was spent.").count()).toBe(1);
  });

  test("show nothing that the browser complains of", () => expect(visitor.complaints).toEqual([]));
});
