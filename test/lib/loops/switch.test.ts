import { afterEach, beforeEach, expect, test } from "vitest";
import { HOUR_MS } from "../../../lib/core/duration.ts";
import { laneKey } from "../../../lib/core/keys.ts";
import { scheduleState, switchSchedule } from "../../../lib/loops/switch.ts";
import { syncSchedules } from "../../../lib/loops/sync.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { ECHO, givenFile } from "../../support/file-loop.ts";
import { FILE_ID } from "../../support/workflow-file.ts";

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.stop());

const PARTS = {
  more: `inputs: { apply: { type: boolean }, days: { type: number } }
triggers:
  - { kind: schedule, cron: "0 * * * *", status: paused, input: { apply: true, days: 2 } }`,
  steps: "  - { id: a, kind: tool, tool: echo, input: $input }",
};

function given() {
  const { loop, ownerUid } = givenFile(engine, PARTS, { tools: ECHO });
  return {
    loop,
    ownerUid,
    to: (status: "live" | "paused") => switchSchedule(loop, ownerUid, "/a-file", status),
    state: () => scheduleState(loop, ownerUid, "/a-file"),
    items: () => loop.queue.pendingItems(laneKey(ownerUid, FILE_ID), 10),
  };
}

test("a schedule that is shipped paused has no row until somebody switches it on", async () => {
  const { loop, ownerUid, state, items } = given();
  const found = await loop.workflows.byId(ownerUid, FILE_ID);
  await syncSchedules(loop, ownerUid, FILE_ID, found);
  expect(await state()).toEqual([
    { expression: "cron(0 * * * ? *)", timeZone: null, status: "paused", nextAt: null, canSwitch: true },
  ]);
  loop.clock.advance(3 * HOUR_MS);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: {} });
  expect(await items()).toEqual([]);
});

test("switched on it enqueues at each slot what it says, also what people alone may switch on", async () => {
  const { loop, ownerUid, to, items } = given();
  const start = loop.clock.now();
  expect(await to("live")).toMatchObject([{ status: "live", nextAt: start + HOUR_MS }]);
  expect(await to("live")).toMatchObject([{ status: "live", nextAt: start + HOUR_MS }]);
  loop.clock.advance(HOUR_MS);
  expect(await loop.fire()).toEqual({ fired: 1, skipped: {} });
  expect(await items()).toMatchObject([
    {
      payload: '{"apply":true,"days":2}',
      requestedBy: { kind: "schedule" },
      dedupeKey: `${FILE_ID}.0#2026-01-05T10:00:00.000Z`,
    },
  ]);
  await loop.settleDown();
  const { runIds } = await loop.runs.runsOfOwner(ownerUid, 1);
  expect(await loop.runs.readHead(runIds[0]!)).toMatchObject({ status: "done" });
});

test("switched off it is gone, and a sync of its workflow does not bring it back", async () => {
  const { loop, ownerUid, to, state, items } = given();
  await to("live");
  const found = await loop.workflows.byId(ownerUid, FILE_ID);
  await syncSchedules(loop, ownerUid, FILE_ID, found);
  expect(await state()).toMatchObject([{ status: "live" }]);
  expect(await to("paused")).toMatchObject([{ status: "paused", nextAt: null }]);
  await syncSchedules(loop, ownerUid, FILE_ID, found);
  loop.clock.advance(3 * HOUR_MS);
  expect(await loop.fire()).toEqual({ fired: 0, skipped: {} });
  expect(await items()).toEqual([]);
});

test("each library switches its own", async () => {
  const one = given();
  const two = given();
  await one.to("live");
  expect(await two.state()).toMatchObject([{ status: "paused" }]);
});
