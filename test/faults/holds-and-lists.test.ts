import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DAY_MS } from "../../lib/core/duration.ts";
import { runIdOf } from "../../lib/queue/item.ts";
import { newHead } from "../../lib/runs/writes.ts";
import { listRuns, type RunPlace } from "../../lib/runs/list-runs.ts";
import { startEngine, type Engine } from "../support/engine.ts";
import { createMemoryEngine } from "../support/memory/engine.ts";
import { Killed, killable } from "../support/kill-switch.ts";
import { agent, createLoop, PLAIN_WORKFLOW, steward } from "../support/loop.ts";
import { scriptedModel } from "../support/scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

let ownerUid = "";
let owners = 0;
beforeEach(() => {
  ownerUid = `owner${++owners}`;
});

const newLoop = (doc = engine.doc, more = {}) =>
  createLoop({ ...engine, doc }, { model: scriptedModel((_request, nth) => `Draft ${nth}.`), ...more });

async function givenHeld() {
  const loop = newLoop();
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW }, ownerUid);
  const { runId } = await loop.enqueue("/plain", { topic: "held" }, {}, { ...agent, ownerUid });
  await loop.settleDown();
  const run = await loop.runs.readHead(runId);
  if (run?.status !== "suspended") throw new Error(`expected a held run, found ${run?.status}`);
  return { loop, runId, gate: run.gate, by: { ...steward, ownerUid } };
}

test("O08: a decision names the one hold of a run, never the run", async () => {
  const { loop, runId, gate, by } = await givenHeld();
  await expect(loop.decide(runId, gate.sha256, "approve", by)).rejects.toMatchObject({
    code: "hold_not_found",
  });
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "suspended", gate });
});

test("O16: a hold is a part of its run: with the run gone there is nothing to decide, and nothing is recorded", async () => {
  const { loop, runId, gate, by } = await givenHeld();
  await engine.doc.send(new DeleteCommand({ TableName: engine.tables.runs, Key: { runId, part: "HEAD" } }));
  await expect(loop.decide(gate.holdId, gate.sha256, "approve", by)).rejects.toMatchObject({
    code: "hold_not_found",
  });
  expect(await loop.runs.readHead(runId)).toBeUndefined();
});

test("O28: a process that dies right after a hold is opened leaves it with its deadline, and it expires", async () => {
  // Which of the writes opens the hold is found by letting each of them be the last one.
  for (let write = 0; ; write++) {
    // An engine of its own each time, so that nobody else's run is in the way.
    const memory = createMemoryEngine();
    const setup = newLoop(memory.doc);
    await setup.importFiles({ "plain.md": PLAIN_WORKFLOW }, ownerUid);
    const { doc, isDead } = killable(memory.doc, { write, when: "after" });
    const dying = newLoop(doc, { clock: setup.clock, ids: setup.ids });
    const { runId } = await setup.enqueue("/plain", { topic: "dies" }, {}, { ...agent, ownerUid });
    const death: unknown = await dying.settleDown().catch((error: unknown) => error);
    expect(death instanceof Error && (death instanceof Killed || death.cause instanceof Killed)).toBe(true);
    expect(isDead()).toBe(true);
    if ((await setup.runs.readHead(runId))?.status !== "suspending") continue;
    setup.clock.advance(15 * DAY_MS);
    for (let round = 0; round < 3; round++) await setup.recover();
    expect(await setup.runs.readHead(runId)).toMatchObject({
      status: "cancelled",
      gate: { decision: { verdict: "expire", by: "system" } },
    });
    return;
  }
});

test("F39, F41: pages of a filtered list are full, and none of its rows is skipped or shown twice", async () => {
  const loop = newLoop();
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW }, ownerUid);
  const by = { ...agent, ownerUid };
  const wanted: string[] = [];
  for (let n = 0; n < 40; n++) {
    loop.clock.advance(1);
    const { item } = await loop.enqueue("/plain", { topic: `run ${n}` }, {}, by);
    const runId = runIdOf(ownerUid, item.workflowId, item.itemKey, 1);
    const head = newHead(item, runId, loop.clock.now());
    const ended = { ...head, status: "failed", settledAt: loop.clock.now() } as const;
    await loop.runs.putHead(n % 4 === 0 ? ended : head);
    if (n % 4 === 0) wanted.unshift(runId);
  }
  const seen: string[] = [];
  let after: RunPlace | null = null;
  const sizes: number[] = [];
  do {
    const page: Awaited<ReturnType<typeof listRuns>> = await listRuns(loop, ownerUid, {
      filter: { status: "failed" },
      limit: 4,
      after,
    });
    seen.push(...page.runs.map((run) => run.runId));
    sizes.push(page.runs.length);
    after = page.next;
  } while (after);
  expect(seen).toEqual(wanted);
  expect(sizes.slice(0, 2)).toEqual([4, 4]);
});
