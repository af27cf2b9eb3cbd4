import { afterEach, beforeEach, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../lib/core/duration.ts";
import { laneKey } from "../../../lib/core/keys.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { deleteMemo } from "../../../lib/memos/write.ts";
import { syncSchedules } from "../../../lib/loops/sync.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { killable } from "../../support/kill-switch.ts";
import { createLoop, OWNER, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { workflowText, type WorkflowParts } from "../../support/workflow-text.ts";

let engine: Engine;
let loop: Loop;
beforeEach(async () => {
  engine = await startEngine();
  // Monday, 5 January 2026, 09:00 UTC.
  loop = createLoop(engine, { model: scriptedModel(() => "A text.") });
});
afterEach(() => engine.stop());

const HOURLY = "**Invoke** `schedule cron(0 * * * ? *)`";

async function givenWorkflow(parts: WorkflowParts): Promise<string> {
  const ids = await loop.importFiles({ "loop.md": workflowText({ trigger: [HOURLY], ...parts }) });
  return ids["loop.md"]!;
}

const pendingOf = (workflowId: string) => loop.queue.pendingItems(laneKey(OWNER, workflowId), 100);
const rowsOf = (workflowId: string) => loop.loops.schedulesOf(OWNER, workflowId);

test("a slot that has come is an ordinary item, asked for by its schedule, named by the slot", async () => {
  const workflowId = await givenWorkflow({});
  expect(await loop.fire()).toEqual({ fired: 0, skipped: {} });
  loop.clock.advance(HOUR_MS + 2 * MINUTE_MS);
  expect(await loop.fire()).toEqual({ fired: 1, skipped: {} });
  const [item] = await pendingOf(workflowId);
  expect(item).toMatchObject({
    dedupeKey: `${workflowId}.0#2026-01-05T10:00:00.000Z`,
    payload: "{}",
    requestedBy: { principalId: `schedule:${workflowId}.0`, kind: "schedule" },
  });
  await loop.settleDown();
  expect(await loop.runs.readHead((await loop.runs.runsOfOwner(OWNER, 10)).runIds[0]!)).toMatchObject({
    status: "done",
  });
});

test("with nothing due a tick reads one index and writes nothing", async () => {
  await givenWorkflow({});
  engine.resetCounts();
  await loop.fire();
  expect(engine.counts()).toEqual({ Query: 1 });
});

test("two ticks at once make one item of a slot and move the row once", async () => {
  const workflowId = await givenWorkflow({});
  loop.clock.advance(HOUR_MS);
  const reports = await Promise.all([loop.fire(), loop.fire(), loop.fire()]);
  expect(reports.reduce((sum, { fired }) => sum + fired, 0)).toBe(1);
  expect(await pendingOf(workflowId)).toHaveLength(1);
  expect((await rowsOf(workflowId))[0]?.nextAt).toBe(loop.clock.now() + HOUR_MS);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: {} });
});

test("a tick that is overtaken by another says nothing of the slot and never moves the row back", async () => {
  const workflowId = await givenWorkflow({});
  loop.clock.advance(HOUR_MS);
  const [seen] = await rowsOf(workflowId);
  const dueRows = loop.loops.dueRows;
  loop.loops.dueRows = async (at, limit) => {
    const rows = await dueRows(at, limit);
    loop.loops.dueRows = dueRows;
    expect(await loop.fire()).toEqual({ fired: 1, skipped: {} });
    return rows;
  };
  expect(await loop.fire()).toEqual({ fired: 0, skipped: {} });
  const [moved] = await rowsOf(workflowId);
  expect(await loop.loops.moveSchedule(seen!, seen!.nextAt! + 1)).toBe(false);
  expect(await rowsOf(workflowId)).toEqual([moved]);
});

test("a tick that died between the item and the row makes no second item", async () => {
  const workflowId = await givenWorkflow({});
  loop.clock.advance(HOUR_MS);
  const [row] = await rowsOf(workflowId);
  await loop.fire();
  await loop.settleDown();
  // As it stood before the tick.
  await loop.loops.putSchedule(row!);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: { duplicate_slot: 1 } });
  expect(await pendingOf(workflowId)).toHaveLength(0);
});

test("O25: a held run does not keep its schedule, a running one does, and two never run", async () => {
  const workflowId = await givenWorkflow({
    policy: ["**Approval** `hold`"],
    trigger: ["**Invoke** `schedule rate(5 minutes)`"],
  });
  loop.clock.advance(5 * MINUTE_MS);
  expect(await loop.fire()).toMatchObject({ fired: 1 });
  await loop.settleDown();
  const first = (await loop.runs.runsOfOwner(OWNER, 10)).runIds;
  expect((await loop.runs.readHead(first[0]!))?.status).toBe("suspended");

  loop.clock.advance(5 * MINUTE_MS);
  expect(await loop.fire()).toEqual({ fired: 1, skipped: {} });
  await loop.pass();
  // Claimed, its bell not yet followed.
  loop.clock.advance(5 * MINUTE_MS);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: { skipped_overlap: 1 } });
  expect((await loop.queue.readLane(laneKey(OWNER, workflowId))).inFlight.size).toBe(1);
  await loop.deliver();
  loop.clock.advance(5 * MINUTE_MS);
  expect(await loop.fire()).toEqual({ fired: 1, skipped: {} });
  // Pending, not yet claimed.
  loop.clock.advance(5 * MINUTE_MS);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: { skipped_overlap: 1 } });
});

test("a run that a person has released is at work, although it has no slot", async () => {
  await givenWorkflow({ policy: ["**Approval** `hold`"] });
  loop.clock.advance(HOUR_MS);
  await loop.fire();
  await loop.settleDown();
  const [runId] = (await loop.runs.runsOfOwner(OWNER, 10)).runIds;
  const run = await loop.runs.readHead(runId!);
  await loop.decide(run!.gate!.holdId, run!.gate!.sha256, "approve");
  loop.clock.advance(HOUR_MS);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: { skipped_overlap: 1 } });
  await loop.deliver();
  loop.clock.advance(HOUR_MS);
  expect(await loop.fire()).toEqual({ fired: 1, skipped: {} });
});

test("of the slots missed in a night the newest alone fires", async () => {
  const workflowId = await givenWorkflow({});
  loop.clock.advance(9 * HOUR_MS + 20 * MINUTE_MS);
  expect(await loop.fire()).toEqual({ fired: 1, skipped: {} });
  const items = await pendingOf(workflowId);
  expect(items.map(({ dedupeKey }) => dedupeKey)).toEqual([`${workflowId}.0#2026-01-05T18:00:00.000Z`]);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: {} });
});

test("the policy's Dedupe key is filled with the values of the slot, not of the tick", async () => {
  const workflowId = await givenWorkflow({
    trigger: ["**Invoke** `schedule cron(50 23 ? * SUN *)`"],
    policy: ["**Dedupe key** `digest {{run.isoWeek}} {{run.date}} {{run.hour}}`"],
  });
  // Sunday 23:50 is of week 2; the tick comes on Monday of week 3.
  loop.clock.advance(Date.parse("2026-01-12T00:02:00Z") - loop.clock.now());
  expect(await loop.fire()).toMatchObject({ fired: 1 });
  const [item] = await pendingOf(workflowId);
  expect(item?.dedupeKey).toBe("digest 2026-W02 2026-01-11 2026-01-11T23");
});

test.each(["paused", "draft"])(
  "a workflow that is %s does not fire; its slot passes and is said",
  async (status) => {
    const workflowId = await givenWorkflow({ status });
    loop.clock.advance(HOUR_MS);
    expect(await loop.fire()).toEqual({ fired: 0, skipped: { [status]: 1 } });
    expect(await pendingOf(workflowId)).toEqual([]);
    expect((await rowsOf(workflowId))[0]?.nextAt).toBe(loop.clock.now() + HOUR_MS);
  },
);

test("a workflow that no longer compiles, and one whose input nothing fills, let their slots pass", async () => {
  await loop.importFiles({
    "needs.md": workflowText({
      command: "/needs",
      trigger: [HOURLY, "**Input** `topic` string — what about"],
    }),
    "broken.md": workflowText({ command: "/broken", trigger: [HOURLY] }),
  });
  await loop.importFiles({
    "broken.md": workflowText({ command: "/broken", trigger: [HOURLY, "**Oops** `x`"] }),
  });
  loop.clock.advance(HOUR_MS);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: { payload_invalid: 1, compile_error: 1 } });
  expect(await loop.fire()).toEqual({ fired: 0, skipped: {} });
});

test("saving the memo again keeps the next slot; a changed line begins anew; a removed one is gone", async () => {
  const two = [HOURLY + ", `schedule rate(1 day)`"];
  const workflowId = await givenWorkflow({ trigger: two });
  const before = await rowsOf(workflowId);
  expect(before.map(({ expression }) => expression)).toEqual(["cron(0 * * * ? *)", "rate(1 day)"]);
  loop.clock.advance(30 * MINUTE_MS);
  await givenWorkflow({ trigger: two, policy: ["**Tags** `x`"] });
  expect(await rowsOf(workflowId)).toEqual(before);
  await givenWorkflow({ trigger: ["**Invoke** `schedule cron(15 9 * * ? *)` in `Europe/Berlin`"] });
  expect(await rowsOf(workflowId)).toMatchObject([
    {
      sk: "0",
      expression: "cron(15 9 * * ? *)",
      timeZone: "Europe/Berlin",
      nextAt: Date.parse("2026-01-06T08:15:00Z"),
    },
  ]);
  await givenWorkflow({ trigger: [] });
  expect(await rowsOf(workflowId)).toEqual([]);
});

test("the row of a workflow that is deleted goes with its next slot, whoever forgot it", async () => {
  const workflowId = await givenWorkflow({});
  const memo = await readMemo(loop, OWNER, workflowId);
  await deleteMemo(loop, {
    ownerUid: OWNER,
    memoId: memo!.memoId,
    base: memo!.contentVersion,
    writeToken: "w",
  });
  loop.clock.advance(HOUR_MS);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: { workflow_missing: 1 } });
  expect(await rowsOf(workflowId)).toEqual([]);
});

test("a row that the memo no longer has is put right instead of fired", async () => {
  const workflowId = await givenWorkflow({});
  const [row] = await rowsOf(workflowId);
  await loop.loops.putSchedule({ ...row!, expression: "rate(7 minutes)", nextAt: loop.clock.now() });
  expect(await loop.fire()).toEqual({ fired: 0, skipped: { schedule_changed: 1 } });
  expect(await rowsOf(workflowId)).toMatchObject([{ expression: "cron(0 * * * ? *)" }]);
});

test("a tick that died before the first item's lane was ready is finished by the next tick", async () => {
  const workflowId = await givenWorkflow({});
  loop.clock.advance(HOUR_MS);
  const { doc, isDead } = killable(engine.doc, { write: 0, when: "after" });
  const first = createLoop({ ...engine, doc }, { model: scriptedModel(() => ""), clock: loop.clock });
  await first.fire().catch(() => undefined);
  expect(isDead()).toBe(true);
  expect(await pendingOf(workflowId)).toHaveLength(1);
  await loop.fire();
  await loop.settleDown();
  expect(await pendingOf(workflowId)).toEqual([]);
  expect((await loop.runs.runsOfOwner(OWNER, 10)).runIds).toHaveLength(1);
});

test("a schedule without another slot has a row that is never due", async () => {
  const workflowId = await givenWorkflow({ trigger: ["**Invoke** `schedule cron(0 10 5 1 ? 2026)`"] });
  loop.clock.advance(HOUR_MS);
  expect(await loop.fire()).toMatchObject({ fired: 1 });
  expect((await rowsOf(workflowId))[0]?.nextAt).toBeUndefined();
  loop.clock.advance(400 * DAY_MS);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: {} });
  // A memo that no longer says so takes it away all the same.
  await syncSchedules(loop, OWNER, workflowId, undefined);
  expect(await rowsOf(workflowId)).toEqual([]);
});

test("more due rows than one tick takes are the next tick's, the longest due first", async () => {
  const names = Array.from({ length: 12 }, (_, n) => `loop-${n}`);
  await loop.importFiles(
    Object.fromEntries(
      names.map((name) => [`${name}.md`, workflowText({ command: `/${name}`, trigger: [HOURLY] })]),
    ),
  );
  loop.clock.advance(HOUR_MS);
  expect(await loop.fire()).toMatchObject({ fired: 10 });
  expect(await loop.fire()).toMatchObject({ fired: 2 });
});
