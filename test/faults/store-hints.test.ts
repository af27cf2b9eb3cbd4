import { describe, expect, test } from "vitest";
import { pendingItem } from "../../lib/queue/item.ts";
import { listRuns, type RunPlace } from "../../lib/runs/list-runs.ts";
import { pass } from "../../lib/runs/pass.ts";
import type { PassReport } from "../../lib/runs/pass-report.ts";
import type { Run } from "../../lib/runs/run.ts";
import { createRunStore } from "../../lib/runs/store.ts";
import { newHead } from "../../lib/runs/writes.ts";
import { ITEM } from "../conditions/late-lanes.ts";
import { createScheduler } from "../interleavings/scheduler.ts";
import { AUTO_WORKFLOW, createLoop, OWNER } from "../support/loop.ts";
import { createMemoryEngine } from "../support/memory/engine.ts";
import { scriptedModel } from "../support/scripted-model.ts";

/*
 * Indexes that lag, pages that are shorter than asked, passes that overlap: on the memory engine, which does each on
 * demand.
 */

async function givenLoop() {
  const engine = createMemoryEngine();
  let writes = 0;
  engine.onWrite(() => void writes++);
  const loop = createLoop(engine, { model: scriptedModel(() => "A draft.") });
  await loop.importFiles({ "auto.md": AUTO_WORKFLOW });
  return { engine, loop, writes: () => writes };
}

test("F36: an index that still lists 20 settled items and their lane makes a pass claim, send and fail nothing", async () => {
  const { engine, loop, writes } = await givenLoop();
  for (let n = 0; n < 20; n++) await loop.enqueue("/auto", { topic: `${n}` }, { dedupeKey: `${n}` });
  engine.setLag(true);
  await loop.settleDown();
  expect(engine.rows("queue").every(({ status }) => status === "done")).toBe(true);
  expect(await loop.queue.readyLanes(10)).toHaveLength(1);
  const before = writes();
  const wakes = loop.wakes();
  expect(await loop.pass()).toMatchObject({ started: 0, failedItems: 0, pending: 0 });
  expect({ writes: writes(), wakes: loop.wakes(), bells: loop.bells }).toEqual({
    writes: before,
    wakes,
    bells: [],
  });
});

/** 100 runs of one owner, every seventh failed, and more of somebody else. */
async function givenRuns(count: number, pageRows: number) {
  const engine = createMemoryEngine({ pageRows });
  const runs = createRunStore(engine.doc, engine.tables.runs);
  for (let n = 0; n < count; n++) {
    const item = pendingItem({ ...ITEM, ownerUid: n % 3 === 2 ? "bo" : OWNER }, 1, "t", n);
    const head = newHead(item, `run_${String(n).padStart(3, "0")}`, n);
    const ended = { status: "failed", settledAt: n, activeShard: undefined, since: undefined };
    await runs.putHead((n % 7 === 0 ? { ...head, ...ended } : head) as Run);
  }
  return runs;
}

async function pagesOf(runs: Awaited<ReturnType<typeof givenRuns>>, limit: number, filter = {}) {
  const pages: string[][] = [];
  let after: RunPlace | null = null;
  do {
    const page = await listRuns({ runs }, OWNER, { filter, limit, after });
    pages.push(page.runs.map(({ runId }) => runId));
    after = page.next;
  } while (after);
  return pages;
}

describe.each([1000, 4])("in pages that the store cuts at %i rows", (pageRows) => {
  test("F39: a list by status is full while there are runs of that status", async () => {
    const pages = await pagesOf(await givenRuns(150, pageRows), 5, { status: "failed" });
    expect(pages.slice(0, 2).map((page) => page.length)).toEqual([5, 5]);
    const failed = Array.from({ length: 150 }, (_, n) => n).filter((n) => n % 7 === 0 && n % 3 !== 2);
    expect(pages.flat().map((runId) => Number(runId.slice(4)))).toEqual(failed.toReversed());
  });

  test("F41: 25 rows in pages of 10 come once each, in order", async () => {
    const pages = await pagesOf(await givenRuns(38, pageRows), 10);
    const own = Array.from({ length: 38 }, (_, n) => n).filter((n) => n % 3 !== 2);
    expect(own).toHaveLength(26);
    expect(pages.flat().map((runId) => Number(runId.slice(4)))).toEqual(own.toReversed());
    expect(pages.slice(0, 2).map((page) => page.length)).toEqual([10, 10]);
  });
});

test("F22: a pass that stalls between two claims and one that overtakes it claim nothing twice", async () => {
  const { engine, loop } = await givenLoop();
  for (let n = 0; n < 7; n++) await loop.enqueue("/auto", { topic: `${n}` }, { dedupeKey: `${n}` });
  const scheduler = createScheduler(engine);
  const reports: PassReport[] = [];
  const passes = (name: string) => ({
    name,
    work: async (process: { doc: typeof engine.doc }) => {
      const own = createLoop(
        { doc: process.doc, tables: engine.tables },
        { model: scriptedModel({}), bells: loop.bells, clock: loop.clock },
      );
      reports.push(await pass(own.passDeps));
    },
  });
  const claimed = () => engine.rows("queue").filter(({ status }) => status === "claimed").length;
  const slow = scheduler.spawn("slow", 1, passes("slow").work);
  while (claimed() < 1) {
    await new Promise((resolve) => void setImmediate(resolve));
    await scheduler.advance(slow, slow.calls[0]!, "answered");
  }
  loop.clock.advance(1);
  await scheduler.alone("fast", passes("fast").work);
  loop.clock.advance(1);
  while (slow.state === "alive") {
    const [call] = slow.calls;
    if (call) await scheduler.advance(slow, call, "answered");
    else await new Promise((resolve) => void setImmediate(resolve));
  }
  expect(scheduler.failures()).toEqual([]);
  expect(reports).toHaveLength(2);
  expect(reports.reduce((sum, { started }) => sum + started, 0)).toBe(claimed());
  expect(engine.rows("lanes").map(({ inFlight }) => (inFlight as Set<string>).size)).toEqual([claimed()]);
  expect(new Set(loop.bells.map(({ runId }) => runId)).size).toBe(claimed());
  await loop.settleDown();
  expect(engine.rows("queue").filter(({ status }) => status === "done")).toHaveLength(7);
});
