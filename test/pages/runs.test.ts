import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { timelineOf } from "../../lib/pages/timeline-rows.ts";
import { clientOf, heldDraft, runThatIs, type Client, type Enqueued, type Hold } from "../e2e/client.ts";
import { demoLibrary, importFiles } from "../e2e/library.ts";
import { OUTPUT, stepWorkflow } from "../support/step-workflow.ts";
import { givenPages, type Visitor } from "./browser.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const TITLE = "📚 ملاحظات – הערות";
/** Lands by itself. */
const FILES = stepWorkflow({
  command: "/file",
  title: TITLE,
  steps: ["**process** `draft` Write about the payload.", OUTPUT],
  policy: ["- **Approval** `auto`"],
});
/** Finds nothing, and fails. */
const FAILS = stepWorkflow({
  command: "/find",
  title: "Find enough",
  loads: ["- **search** `qqqq zzzz` top `6` at least `6`"],
  steps: ["**context** `gather` Load.", "**process** `draft` Write.", OUTPUT],
});

let pages: Awaited<ReturnType<typeof givenPages>>;
let agent: Client;
let steward: Client;
let visitor: Visitor;
let held: Enqueued & { hold: Hold };
let landed: Enqueued;
let failed: Enqueued;
beforeAll(async () => {
  pages = await givenPages([{ uid: "stranger", ownerUid: "stranger" }]);
  const { host } = pages;
  agent = clientOf(host, host.keys.agentKey);
  steward = clientOf(host, host.keys.stewardKey);
  await importFiles(steward, [
    ...demoLibrary(),
    { path: "workflows/file.md", text: FILES },
    { path: "workflows/find.md", text: FAILS },
  ]);
  held = await heldDraft(agent, "What is a lane?");
  landed = await agent.post<Enqueued>("/api/workflows/file/items", { payload: { about: "<b>lanes</b>" } });
  failed = await agent.post<Enqueued>("/api/workflows/find/items", { payload: {} });
  await runThatIs(agent, landed.runId, "done");
  await runThatIs(agent, failed.runId, "failed");
  visitor = await pages.signIn();
});
afterAll(() => pages.stop());

const twin = async (path: string, by = visitor) => {
  const answer = await by.page.request.get(path);
  return { status: answer.status(), body: (await answer.json()) as Record<string, unknown> };
};

describe("the list of runs", () => {
  test("names each run's workflow, what came of it, and links to the hold that it waits with", async () => {
    const { page } = visitor;
    await page.goto("/steward/runs");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Runs");
    expect(await page.locator("ul.cards > li").count()).toBe(3);
    const waiting = page.locator("li", { hasText: "Memo drafting" });
    expect(await waiting.getByRole("link", { name: "a draft" }).getAttribute("href")).toBe(
      `/steward/holds/${held.hold.holdId}`,
    );
    expect(await page.locator("li", { hasText: TITLE }).textContent()).toContain("Landed in");
    expect(await page.locator("li", { hasText: "Find enough" }).textContent()).toContain("search_too_few");
  });

  test("is filtered by state, and keeps its other filter", async () => {
    const { page } = visitor;
    await page.goto("/steward/runs?workflow=/find");
    await page.getByRole("navigation", { name: "Which runs" }).getByRole("link", { name: "Failed" }).click();
    expect(page.url()).toContain("workflow=%2Ffind&status=failed");
    expect(await page.locator("ul.cards > li").count()).toBe(1);
    await page.getByRole("link", { name: "Done", exact: true }).click();
    expect(await page.locator("ul.cards > li").count()).toBe(0);
    expect(await page.getByText("No runs here.").count()).toBe(1);
  });

  test("goes on from page to page until each run was shown once", async () => {
    const { page } = visitor;
    await page.goto("/steward/runs?limit=1");
    const seen: (string | null)[] = [];
    for (;;) {
      for (const link of await page.locator("li.card .what > a").all())
        seen.push(await link.getAttribute("href"));
      const next = page.getByRole("link", { name: "Next page" });
      if ((await next.count()) === 0) break;
      await next.click();
    }
    expect(await page.getByText("That was all of it.").count()).toBe(1);
    const wanted = [failed, landed, held].map(({ runId }) => `/steward/runs/${runId}`);
    expect(seen.toSorted()).toEqual(wanted.toSorted());
  });

  test("has a twin with the same runs as the API", async () => {
    const { body } = await twin("/steward/runs.json?status=failed");
    const api = await agent.get<{ items: object[] }>("/api/runs?status=failed");
    expect(body).toMatchObject({ status: "failed", items: api.items, nextCursor: null });
  });
});

describe("a run's page", () => {
  test("says why a run has failed and what to do about it", async () => {
    const { page } = visitor;
    await page.goto(`/steward/runs/${failed.runId}`);
    const note = await page.locator(".note.bad").textContent();
    expect(note).toContain("A search found too little");
    expect(note).toContain("Lower `at least`, or add memos.");
  });

  test("draws the steps, and has them as a table too", async () => {
    const { page } = visitor;
    await page.goto(`/steward/runs/${held.runId}`);
    const drawn = page.getByRole("img", { name: /^Steps over/ });
    expect(await drawn.locator("text.svg-name").allTextContents()).toEqual([
      "brief",
      "gather",
      "draft",
      "revise",
      "publish",
    ]);
    await page.getByText("The same as a table").click();
    const rows = page.getByRole("region", { name: "Steps" }).locator("tbody tr");
    expect(await rows.count()).toBe(5);
    expect(await rows.nth(2).textContent()).toMatch(/draft.*process.*done/);
  });

  test("says what was read, what was left out and why, and what it waits for", async () => {
    const { page } = visitor;
    await page.goto(`/steward/runs/${held.runId}`);
    const read = page.getByRole("region", { name: "What was loaded" });
    expect(await read.getByRole("link", { name: "House style" }).count()).toBeGreaterThan(0);
    await page.getByText("1 left out, and why").click();
    expect(await page.getByRole("region", { name: "What was left out" }).textContent()).toContain("Glossary");
    expect(await page.locator(".note.warn").textContent()).toMatch(/ends as cancelled in 13 d/);
  });

  test("links to the memo that a run has landed in", async () => {
    const { page } = visitor;
    const { landing } = await runThatIs(agent, landed.runId, "done");
    await page.goto(`/steward/runs/${landed.runId}`);
    const link = page.locator(".note.good a");
    expect(await link.getAttribute("href")).toBe(`/steward/memos/${landing?.memoId}`);
    expect(await page.getByText('{"about":"<b>lanes</b>"}').count()).toBe(1);
  });

  test("says that the workflow was changed since", async () => {
    await importFiles(steward, [{ path: "workflows/file.md", text: `${FILES}\nMore words.\n` }]);
    await visitor.page.goto(`/steward/runs/${landed.runId}`);
    expect(await visitor.page.getByText("changed since this run began").count()).toBe(1);
    const { body } = await twin(`/steward/runs/${landed.runId}.json`);
    expect(body["run"]).toMatchObject({ runId: landed.runId, manifestDrift: true, status: "done" });
  });

  test("of another owner is the same answer as one that never was", async () => {
    const stranger = await pages.signIn(pages.keys[0]);
    const never = failed.runId.replace(/[0-9a-f]{24}/, "0".repeat(24));
    const answers = await Promise.all(
      [failed.runId, never].map(async (runId) => {
        const { status, body } = await twin(`/steward/runs/${runId}.json`, stranger);
        return { status, code: body["code"], detail: String(body["detail"]).replace(runId, "RUN") };
      }),
    );
    expect(answers[0]).toEqual({ status: 404, code: "run_not_found", detail: "there is no run RUN" });
    expect(answers[1]).toEqual(answers[0]);
    const { body } = await twin("/steward/runs.json", stranger);
    expect(body["items"]).toEqual([]);
  });

  test("shows nothing that the browser complains of", () => expect(visitor.complaints).toEqual([]));
});

describe("a timeline", () => {
  const step = (id: string, startedAt: number, ms: number) => ({
    id,
    kind: "process",
    status: "done",
    startedAt,
    ms,
  });

  test("leaves out the time that people took, also where a decision was taken back", () => {
    const run = {
      createdAt: 0,
      settledAt: 100_300,
      holds: [
        { openedAt: 100, decision: { at: 50_000 } },
        { openedAt: 100, decision: { at: 100_100 } },
      ],
      steps: [
        step("a", 0, 100),
        step("b", 100_150, 50),
        { id: "out", kind: "output", status: "landed", ms: null },
      ],
    };
    const { rows, workedMs, waitedMs, isWaiting } = timelineOf(run, 999_999);
    expect({ workedMs, waitedMs, isWaiting }).toEqual({ workedMs: 300, waitedMs: 100_000, isWaiting: false });
    expect(rows.map(({ offsetMs, ms }) => [offsetMs, ms])).toEqual([
      [0, 100],
      [150, 50],
      [200, 100],
    ]);
  });

  test("gives no place to steps that are kept of another run, or still to come", () => {
    const run = {
      createdAt: 1000,
      settledAt: null,
      holds: [],
      steps: [
        { ...step("kept", 5, 10), keptFrom: "run_x" },
        { id: "now", kind: "process", status: "running", ms: null },
        { id: "later", kind: "output", status: "pending", ms: null },
      ],
    };
    const { rows } = timelineOf(run, 3000);
    expect(rows.map(({ offsetMs, ms }) => [offsetMs, ms])).toEqual([
      [null, null],
      [0, 2000],
      [null, null],
    ]);
  });
});
