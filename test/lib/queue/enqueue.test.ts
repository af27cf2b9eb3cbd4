import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256 } from "../../../lib/core/bytes.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, PLAIN_WORKFLOW, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
let loop: Loop;
afterEach(() => engine.stop());
beforeEach(async () => {
  engine = await startEngine();
  loop = createLoop(engine, { model: scriptedModel(() => "A draft.") });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
});

test("O18: the same key again says what became of the first, pending, claimed, then done, until it is asked for anew", async () => {
  const put = () => loop.enqueue("/plain", { topic: "key" }, { dedupeKey: "states" });
  const first = await put();
  expect(first).toMatchObject({ enqueued: true, reason: "new" });
  expect(await put()).toMatchObject({ enqueued: false, reason: "duplicate_pending", runId: first.runId });
  await loop.pass();
  expect(await put()).toMatchObject({ enqueued: false, reason: "duplicate_claimed", runId: first.runId });
  await loop.deliver();
  const run = await loop.runs.readHead(first.runId);
  if (run?.status !== "suspended") throw new Error("expected a hold");
  await loop.decide(run.gate.holdId, run.gate.sha256, "approve");
  await loop.deliver();
  expect(await put()).toMatchObject({ enqueued: false, reason: "duplicate_done", runId: first.runId });
  const anew = await loop.enqueue(
    "/plain",
    { topic: "key" },
    { dedupeKey: "states", ifExists: "new_generation" },
  );
  expect(anew).toMatchObject({ enqueued: true, reason: "new", item: { generation: 2 } });
  await loop.settleDown();
  expect(await loop.runs.readHead(anew.runId)).toMatchObject({ status: "suspended", generation: 2 });
});

test("F24: an enqueue whose answer was lost is sent again: the same item, and one row", async () => {
  const answers = [];
  for (let n = 0; n < 4; n++)
    answers.push(await loop.enqueue("/plain", { topic: "replayed" }, { dedupeKey: "r" }));
  expect(answers.map(({ enqueued }) => enqueued)).toEqual([true, false, false, false]);
  expect(new Set(answers.map(({ item, runId }) => `${item.itemId} ${runId}`)).size).toBe(1);
  const { items } = await loop.queue.itemsPage(answers[0]!.item.lane, {
    pendingOnly: false,
    limit: 100,
    after: undefined,
  });
  expect(items).toHaveLength(1);
});

test("O19: the same key with another payload is a mismatch, with both hashes, and the first payload stays", async () => {
  const first = await loop.enqueue("/plain", { topic: "one" }, { dedupeKey: "mismatch" });
  const second = await loop.enqueue("/plain", { topic: "two" }, { dedupeKey: "mismatch" });
  expect(second).toMatchObject({
    enqueued: false,
    reason: "payload_mismatch",
    payloadMatches: false,
    sentPayloadHash: sha256('{"topic":"two"}'),
    item: { payloadHash: sha256('{"topic":"one"}') },
  });
  const item = await loop.queue.readItem(first.item.lane, first.item.itemKey);
  expect(item?.payload).toBe('{"topic":"one"}');
});

test("without a key the same payload is the same work", async () => {
  const first = await loop.enqueue("/plain", { topic: "no key" });
  const second = await loop.enqueue("/plain", { topic: "no key" });
  expect(second).toMatchObject({ enqueued: false, item: { itemId: first.item.itemId } });
});

test("a new generation of a finished key is another item and another run; a pending one is left alone", async () => {
  const put = (ifExists: "skip" | "new_generation" | "requeue_failed") =>
    loop.enqueue("/plain", { topic: "again" }, { dedupeKey: "again", ifExists });
  const first = await put("skip");
  expect(await put("new_generation")).toMatchObject({ enqueued: false, reason: "duplicate_pending" });
  await loop.settleDown();
  const run = await loop.runs.readHead(first.runId);
  if (run?.status !== "suspended") throw new Error("expected a hold");
  await loop.decide(run.gate.holdId, run.gate.sha256, "reject");
  await loop.deliver();
  const second = await put("requeue_failed");
  expect(second).toMatchObject({ enqueued: true, item: { generation: 2, status: "pending" } });
  expect(second.runId).not.toBe(first.runId);
  await loop.settleDown();
  expect(await loop.runs.readHead(second.runId)).toMatchObject({ status: "suspended", generation: 2 });
  expect(await loop.runs.readHead(first.runId)).toMatchObject({ status: "cancelled", generation: 1 });
});

test("eight producers of the same hundred keys make a hundred items, each new once", async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const mine: string[] = [];
      for (let n = 0; n < 100; n++) {
        const { reason } = await loop.enqueue("/plain", { topic: `k${n}` }, { dedupeKey: `producers-${n}` });
        mine.push(reason);
      }
      return mine;
    }),
  );
  expect(answers.flat().filter((reason) => reason === "new")).toHaveLength(100);
});

test("a duplicate mends a lane that a crash left unready", async () => {
  const { item } = await loop.enqueue("/plain", { topic: "unready" }, { dedupeKey: "unready" });
  // The crash: the item's row is there and the lane never became ready.
  await loop.queue.writeLane(item.lane, { name: "crash", remove: ["readyShard"], when: [] });
  expect((await loop.pass()).started).toBe(0);
  await loop.enqueue("/plain", { topic: "unready" }, { dedupeKey: "unready" });
  expect((await loop.pass()).started).toBe(1);
});

test("the sweep finds an item on a lane that never became ready, without a repeat", async () => {
  const { item } = await loop.enqueue("/plain", { topic: "swept" }, { dedupeKey: "swept" });
  await loop.queue.writeLane(item.lane, { name: "crash", remove: ["readyShard"], when: [] });
  for (let tick = 0; tick < 50 && !(await loop.queue.readLane(item.lane)).readyShard; tick++) {
    loop.clock.advance(300_000);
    await loop.recover();
  }
  expect((await loop.queue.readLane(item.lane)).readyShard).toBeDefined();
});
