import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { laneKey } from "../../../lib/core/keys.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, PLAIN_WORKFLOW } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.stop());

const READS = /^(Get|Query|BatchGet)Command$/;

/** What DynamoDB takes at least for one request: it also charges for finding nothing, which the engine does not. */
function leastUnits(name: string, input: Record<string, unknown>): number {
  const each = input["ConsistentRead"] === true ? 1 : 0.5;
  if (name !== "BatchGetCommand") return READS.test(name) ? each : 0;
  const requests = Object.values(input["RequestItems"] as Record<string, { Keys: unknown[] }>);
  return requests.reduce((sum, { Keys }) => sum + Keys.length * 0.5, 0);
}

/** A client that adds up what its reads cost: what the engine says, and never less than DynamoDB would take. */
function metered(doc: DynamoDBDocumentClient) {
  let units = 0;
  const names: string[] = [];
  const send = async (command: { input: Record<string, unknown> }) => {
    command.input["ReturnConsumedCapacity"] = "TOTAL";
    const answer = (await doc.send(command as never)) as {
      ConsumedCapacity?: { CapacityUnits?: number } | { CapacityUnits?: number }[];
    };
    const consumed = [answer.ConsumedCapacity ?? []].flat();
    const said = consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    const { name } = command.constructor;
    units += Math.max(said, leastUnits(name, command.input));
    names.push(name);
    return answer;
  };
  const client = new Proxy(doc, {
    get: (target, key) => (key === "send" ? send : (Reflect.get(target, key) as unknown)),
  });
  return {
    doc: client,
    take: () => {
      const taken = { units, names: names.splice(0) };
      units = 0;
      return taken;
    },
  };
}

async function givenLoop() {
  const meter = metered(engine.doc);
  const loop = createLoop(
    { doc: meter.doc, tables: engine.tables },
    { model: scriptedModel(() => "A draft.") },
  );
  const ids = await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  const lane = laneKey(OWNER, ids["plain.md"]!);
  return { meter, loop, lane };
}

test("an idle tick costs at most 4 read units and no write, in a library that never ran and in one that did", async () => {
  const { meter, loop } = await givenLoop();
  const idleTicks = async () => {
    const costs: number[] = [];
    for (let tick = 0; tick < 40; tick++) {
      loop.clock.advance(300_000);
      meter.take();
      await loop.resume();
      await loop.fire();
      await loop.pass();
      await loop.recover();
      const { units, names } = meter.take();
      expect(names.filter((name) => !READS.test(name))).toEqual([]);
      costs.push(units);
    }
    return costs;
  };
  const untouched = await idleTicks();
  expect(Math.max(...untouched)).toBeLessThanOrEqual(4);
  // The meter measures: a tick is never free.
  expect(Math.min(...untouched)).toBeGreaterThan(0);
  const held = await loop.givenHeldRun("/plain", { topic: "ran once" });
  await loop.decide(held.holdId, held.sha256, "approve");
  await loop.deliver();
  await loop.pass();
  const used = await idleTicks();
  expect(Math.max(...used)).toBeLessThanOrEqual(4);
});

test("a consistent read costs twice a hint: the meter tells them apart", async () => {
  const { meter, loop, lane } = await givenLoop();
  await loop.givenHeldRun("/plain", { topic: "a lane with a row" });
  meter.take();
  await loop.queue.readLane(lane);
  expect(meter.take().units).toBe(1);
  await loop.queue.readLane(lane, { asHint: true });
  expect(meter.take().units).toBe(0.5);
});

test("the sweep still finds an item whose lane never became ready", async () => {
  const { loop, lane } = await givenLoop();
  await loop.enqueue("/plain", { topic: "lost" });
  const row = await loop.queue.readLane(lane);
  expect(row.readyShard).toBeDefined();
  // As if the enqueue had died between its two writes.
  await loop.queue.writeLane(lane, { name: "test", remove: ["readyShard"], when: [] });
  expect((await loop.pass()).started).toBe(0);
  const before = loop.wakes();
  for (let tick = 0; tick < 40 && loop.wakes() === before; tick++) {
    loop.clock.advance(300_000);
    await loop.recover();
  }
  expect((await loop.pass()).started).toBe(1);
});
