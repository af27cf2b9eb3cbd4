import { afterEach, beforeEach, expect, test } from "vitest";
import { laneParts } from "../../../lib/core/keys.ts";
import { addReports } from "../../../lib/runs/pass-report.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, PLAIN_WORKFLOW, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
let loop: Loop;
beforeEach(async () => {
  engine = await startEngine();
  loop = createLoop(engine, { model: scriptedModel(() => "A draft.") });
});
afterEach(() => engine.stop());

const named = (name: string, concurrency: number, status = "live") =>
  PLAIN_WORKFLOW.replaceAll("/plain", `/${name}`)
    .replace("**Concurrency** `10`", `**Concurrency** \`${concurrency}\``)
    .replace("**Status** `live`", `**Status** \`${status}\``);

test("an empty queue costs a few index reads: no write, no send, no model call", async () => {
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  engine.resetCounts();
  for (let tick = 0; tick < 50; tick++) {
    const report = addReports([await loop.resume(), await loop.pass(), await loop.recover()]);
    expect(await loop.fire()).toEqual({ fired: 0, skipped: {} });
    expect(report).toMatchObject({ started: 0, resumed: 0, recovered: 0, modelCalls: 0 });
  }
  expect(Object.keys(engine.counts()).toSorted()).toEqual(["Query"]);
  expect(loop.wakes()).toBe(0);
  expect(loop.rung).toEqual([]);
});

test("a pass claims at most three items, oldest first, and rings for the rest: 40 items in 14 passes", async () => {
  const ids = await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  const enqueued: string[] = [];
  for (let n = 0; n < 40; n++) {
    const { item } = await loop.enqueue("/plain", { topic: `item ${n}` });
    enqueued.push(item.itemKey);
    if (n % 3 === 0) loop.clock.advance(1);
  }
  const order = await loop.queue.pendingItems(`owner#${ids["plain.md"]}`, 100);
  const claimed: string[] = [];
  let passes = 0;
  while (claimed.length < 40) {
    const before = loop.wakes();
    const { started } = await loop.pass();
    expect(started).toBeLessThanOrEqual(3);
    passes++;
    for (const { runId } of loop.bells) claimed.push(runId.split("-")[1]!);
    // The last pass has nothing left to ring for.
    expect(loop.wakes() > before).toBe(claimed.length < 40);
    await loop.deliver();
  }
  expect(passes).toBe(14);
  expect(claimed).toEqual(order.map(({ itemKey }) => itemKey));
  expect(new Set(claimed)).toEqual(new Set(enqueued));
});

test("a lane of limit 1 never has two runs, and a freed slot brings the full lane back", async () => {
  const ids = await loop.importFiles({ "one.md": named("one", 1) });
  const lane = `owner#${ids["one.md"]}` as const;
  for (let n = 0; n < 3; n++) await loop.enqueue("/one", { topic: `t${n}` });
  expect((await loop.pass()).started).toBe(1);
  expect(await loop.queue.readLane(lane)).toMatchObject({ capped: true });
  expect((await loop.queue.readLane(lane)).readyShard).toBeUndefined();
  expect((await loop.pass()).started).toBe(0);
  const before = loop.wakes();
  // The hold frees the slot: the run waits for a person, not for the lane.
  await loop.deliver();
  expect((await loop.queue.readLane(lane)).readyShard).toBeDefined();
  expect(loop.wakes()).toBeGreaterThan(before);
  expect((await loop.pass()).started).toBe(1);
});

test("one lane's backlog does not starve another: lanes are served in turn", async () => {
  await loop.importFiles({ "a.md": named("many", 10), "b.md": named("few", 10) });
  for (let n = 0; n < 9; n++) await loop.enqueue("/many", { topic: `m${n}` });
  await loop.enqueue("/few", { topic: "only" });
  const report = await loop.pass();
  expect(report.started).toBe(3);
  const heads = await loop.runs.readHeads(loop.bells.map(({ runId }) => runId));
  expect(new Set(heads.map(({ workflowId }) => workflowId)).size).toBe(2);
});

test.each([
  ["draft", named("waits", 1, "draft"), "draft"],
  ["paused", named("waits", 1, "paused"), "paused"],
  ["broken", named("waits", 1).replace("**Approval** `hold`", "**Approval** `maybe`"), "compile_error"],
])(
  "a %s workflow takes items, says why they wait, and its lane leaves ready",
  async (_name, text, reason) => {
    const ids = await loop.importFiles({ "w.md": text });
    const answer = await loop.enqueue("/waits", { topic: "later" });
    expect(answer).toMatchObject({ enqueued: true, status: "waiting", why: reason });
    const report = await loop.pass();
    expect(report).toMatchObject({ started: 0, pending: 1, skipped: { [reason]: 1 } });
    const lane = await loop.queue.readLane(`owner#${ids["w.md"]}`);
    expect(lane.readyShard).toBeUndefined();
    expect(lane.wait).toMatchObject({ reason });
    expect(laneParts(lane.lane).ownerUid).toBe("owner");
  },
);

test("an enqueue between the pass's look and its write keeps the lane ready", async () => {
  const ids = await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  const key = `owner#${ids["plain.md"]}` as const;
  await loop.enqueue("/plain", { topic: "first" });
  const admit = loop.passDeps.admit;
  let raced = false;
  loop.passDeps.admit = async (ownerUid, workflowId) => {
    if (!raced) {
      raced = true;
      // Between P0's read of the lane and its list: the counters must notice.
      await loop.enqueue("/plain", { topic: "second" });
    }
    return admit(ownerUid, workflowId);
  };
  await loop.pass();
  expect((await loop.queue.readLane(key)).readyShard).toBeDefined();
});
