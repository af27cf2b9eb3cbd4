import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runIdOf, type Item } from "../../../lib/queue/item.ts";
import { readyLane } from "../../../lib/queue/writes.ts";
import { pass } from "../../../lib/runs/pass.ts";
import { STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { killable } from "../../support/kill-switch.ts";
import { AUTO_WORKFLOW, createLoop, OWNER, PLAIN_WORKFLOW, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
let loop: Loop;
const model = scriptedModel(() => "A draft.");
beforeEach(async () => {
  engine = await startEngine();
  loop = createLoop(engine, { model });
  await loop.importFiles({ "auto.md": AUTO_WORKFLOW, "plain.md": PLAIN_WORKFLOW });
});
afterEach(() => engine.stop());

/** Writes into an item's row what no code of ours would; without a value the field is taken away. */
async function breakItem({ lane, itemKey }: Item, field: string, value?: unknown): Promise<void> {
  await engine.doc.send(
    new UpdateCommand({
      TableName: engine.tables.queue,
      Key: { lane, itemKey },
      UpdateExpression: value === undefined ? "REMOVE #field" : "SET #field = :value",
      ExpressionAttributeNames: { "#field": field },
      ...(value !== undefined && { ExpressionAttributeValues: { ":value": value } }),
    }),
  );
}

async function givenItems(many: number, topic = "item"): Promise<Item[]> {
  const items: Item[] = [];
  for (let n = 0; n < many; n++) {
    loop.clock.advance(1);
    items.push((await loop.enqueue("/auto", { topic: `${topic} ${n}` })).item);
  }
  return items;
}

const statusOf = async ({ lane, itemKey }: Item) => (await loop.queue.readItem(lane, itemKey))?.status;
const firstRunOf = ({ ownerUid, workflowId, itemKey }: Item) =>
  loop.runs.readHead(runIdOf(ownerUid, workflowId, itemKey, 1));

test.each<[what: string, field: string, value: unknown]>([
  ["has no payload", "payload", undefined],
  ["has a map as payload", "payload", { topic: "x" }],
  ["has no generation", "generation", undefined],
  ["has a text as generation", "generation", "one"],
  ["has no key", "dedupeKey", undefined],
  ["has another's key", "dedupeKey", "another"],
  ["names another owner", "ownerUid", "stranger"],
  ["names another workflow", "workflowId", "memo_other"],
  ["has no requester", "requestedBy", undefined],
  ["has no landing", "landing", undefined],
])(
  "O22: an item that %s ends as failed, and the five behind it are done in two ticks",
  async (_what, field, value) => {
    const [bad, ...good] = (await givenItems(6)) as [Item, ...Item[]];
    await breakItem(bad, field, value);
    const first = await loop.pass();
    await loop.deliver();
    expect(first).toMatchObject({ failedItems: 1, started: 3 });
    expect(await loop.pass()).toMatchObject({ failedItems: 0, started: 2 });
    await loop.deliver();
    expect(await Promise.all(good.map(statusOf))).toEqual(good.map(() => "done"));
    expect(await statusOf(bad)).toBe("failed");
    expect(await firstRunOf(bad)).toMatchObject({
      status: "failed",
      ownerUid: OWNER,
      error: { code: "item_unreadable", class: "input" },
    });
    expect(await loop.pass()).toMatchObject({ pending: 0, started: 0, failedItems: 0 });
    expect((await loop.queue.readLane(bad.lane)).inFlight.size).toBe(0);
    expect((await loop.runs.activeRuns(100)).runIds).toEqual([]);
  },
);

test("O22: a payload that is no JSON fails its own run, as input, and no other", async () => {
  const [bad, ...good] = (await givenItems(6)) as [Item, ...Item[]];
  await breakItem(bad, "payload", '{"topic":');
  await loop.pass();
  await loop.deliver();
  await loop.pass();
  await loop.deliver();
  expect(await Promise.all(good.map(statusOf))).toEqual(good.map(() => "done"));
  expect(await statusOf(bad)).toBe("failed");
  expect(await firstRunOf(bad)).toMatchObject({ error: { code: "payload_invalid", class: "input" } });
});

test("O22: more unreadable items than a pass looks at do not keep a good one from its turn", async () => {
  const items = await givenItems(9);
  for (const bad of items.slice(0, 8)) await breakItem(bad, "payload");
  await loop.pass();
  expect(loop.wakes()).toBeGreaterThan(items.length);
  await loop.pass();
  await loop.pass();
  await loop.deliver();
  expect(await Promise.all(items.map(statusOf))).toEqual([...items.slice(1).map(() => "failed"), "done"]);
});

test.each(["before", "after"] as const)(
  "a pass that is killed %s any write of such an end is finished by the next ones",
  async (when) => {
    for (let write = 0; write < 5; write++) {
      const [bad, good] = (await givenItems(2, `killed ${write}`)) as [Item, Item];
      await breakItem(bad, "generation");
      const killed = killable(engine.doc, { write, when });
      const dying = createLoop({ ...engine, doc: killed.doc }, { model, clock: loop.clock, bells: [] });
      await dying.pass().catch((error: unknown) => {
        if (!killed.isDead()) throw error;
      });
      loop.clock.advance(STUCK_RUN_MS + 1);
      await loop.recover();
      await loop.settleDown();
      expect([await statusOf(bad), await statusOf(good)]).toEqual(["failed", "done"]);
      expect((await loop.runs.activeRuns(100)).runIds).toEqual([]);
    }
  },
);

test("a lane that cannot be looked at keeps its place, and the lanes behind it are served", async () => {
  const { item: stuck } = await loop.enqueue("/plain", { topic: "stuck" });
  const { item: other } = await loop.enqueue("/auto", { topic: "served" });
  const failing = (workflowIds: readonly string[]) => ({
    ...loop.passDeps,
    admit: async (ownerUid: string, workflowId: string) => {
      if (workflowIds.includes(workflowId)) throw new Error("its memo cannot be read");
      return loop.passDeps.admit(ownerUid, workflowId);
    },
  });
  const report = await pass(failing([stuck.workflowId]));
  expect(report).toMatchObject({ started: 1, skipped: { lane_failed: 1 } });
  await loop.deliver();
  expect([await statusOf(stuck), await statusOf(other)]).toEqual(["pending", "done"]);
  expect((await loop.queue.readLane(stuck.lane)).readyShard).toBeDefined();
  // With no lane left that answers, it is the store's trouble, and the round says so.
  await expect(pass(failing([stuck.workflowId]))).rejects.toThrow("its memo cannot be read");
});

test("twenty lanes that cannot be looked at leave room for one that can", async () => {
  const { item } = await loop.enqueue("/auto", { topic: "behind them all" });
  await loop.pass();
  await loop.deliver();
  for (let n = 0; n < 20; n++)
    await loop.queue.writeLane(`${OWNER}#broken${n}`, readyLane(`${OWNER}#broken${n}`));
  const again = await loop.enqueue("/auto", { topic: "served before, so last in the order" });
  const report = await pass({
    ...loop.passDeps,
    admit: async (ownerUid, workflowId) => {
      if (workflowId.startsWith("broken")) throw new Error("cannot be looked at");
      return loop.passDeps.admit(ownerUid, workflowId);
    },
  });
  expect(report).toMatchObject({ started: 1, skipped: { lane_failed: 20 } });
  await loop.deliver();
  expect([await statusOf(item), await statusOf(again.item)]).toEqual(["done", "done"]);
});

test("a run whose row is broken keeps no other from being recovered, and recover still says so", async () => {
  const broken = await loop.enqueue("/auto", { topic: "broken" });
  const quiet = await loop.enqueue("/auto", { topic: "quiet" });
  await loop.pass();
  loop.bells.splice(0);
  await engine.doc.send(
    new UpdateCommand({
      TableName: engine.tables.runs,
      Key: { runId: broken.runId, part: "HEAD" },
      UpdateExpression: "SET #status = :suspending",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":suspending": "suspending" },
    }),
  );
  loop.clock.advance(STUCK_RUN_MS + 1);
  await expect(loop.recover()).rejects.toThrow(TypeError);
  await loop.deliver();
  expect(await statusOf(quiet.item)).toBe("done");
});
