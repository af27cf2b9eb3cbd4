import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ids } from "../../../lib/core/ids.ts";
import { requesterOf } from "../../../lib/core/principal.ts";
import { memoHistory } from "../../../lib/memos/read.ts";
import { writeMemo } from "../../../lib/memos/write.ts";
import type { RunBell } from "../../../lib/queue/doorbell.ts";
import { itemKeyOf } from "../../../lib/queue/item.ts";
import { cancel } from "../../../lib/runs/cancel.ts";
import { STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import { stepPrefix } from "../../../lib/runs/parts.ts";
import { isTerminal } from "../../../lib/runs/run.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { Killed, killable, type KillPoint } from "../../support/kill-switch.ts";
import { agent, AUTO_WORKFLOW, createLoop, PLAIN_WORKFLOW, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

/*
 * A process dies before or after each of its writes; another one goes on with what is in the store. Whatever the
 * point, the run ends as it would have: one memo or none, the item settled, the slot free.
 */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

type Scenario = {
  command: "/plain" | "/auto";
  verdict: "approve" | "reject" | "none";
  act?: "edit" | "cancel";
  ends: "done" | "cancelled" | "failed";
  memos: 0 | 1;
};
const SCENARIOS: Record<string, Scenario> = {
  "an approved hold": { command: "/plain", verdict: "approve", ends: "done", memos: 1 },
  "a rejected hold": { command: "/plain", verdict: "reject", ends: "cancelled", memos: 0 },
  "an automatic landing": { command: "/auto", verdict: "none", ends: "done", memos: 1 },
  "a landing that loses to a person": {
    command: "/plain",
    verdict: "approve",
    act: "edit",
    ends: "failed",
    memos: 0,
  },
  "a cancelled hold": { command: "/plain", verdict: "none", act: "cancel", ends: "cancelled", memos: 0 },
};

const EVERY_POINT_TWICE = process.env["KILL_POINTS"] === "all";

const KEY = "kill";
let owners = 0;

/** Ids of one process: another process never has the same ones. */
const idsOf =
  (process: string): Ids =>
  (prefix) =>
    `${prefix}_${process}x${++owners}`;

type World = Awaited<ReturnType<typeof givenWorld>>;

async function givenWorld() {
  const ownerUid = `owner${++owners}`;
  const clock = testClock();
  const model = scriptedModel((_request, nth) => `Draft ${nth + 1}.`);
  const first = createLoop(engine, { model, clock, ids: idsOf("setup") });
  const ids = await first.importFiles({ "plain.md": PLAIN_WORKFLOW, "auto.md": AUTO_WORKFLOW }, ownerUid);
  const stub = await writeMemo(first, {
    ownerUid,
    memoId: `memo_stub${ownerUid}`,
    base: null,
    content: { title: "Stub", body: "stub" },
    writeToken: "stub",
    writtenBy: requesterOf(steward),
    sessionId: null,
    runId: null,
  });
  if (stub.outcome !== "written") throw new Error(stub.outcome);
  return { ownerUid, clock, model, ids, stub: stub.memo, bells: [] as RunBell[] };
}

/** What people and the queue do, from wherever the store stands; safe to do again. */
async function goOn(loop: Loop, world: World, scenario: Scenario, isRecovery: boolean): Promise<void> {
  const { ownerUid, stub } = world;
  const by = { ...agent, ownerUid };
  const payload = scenario.act === "edit" ? { topic: "kill", targetMemoId: stub.memoId } : { topic: "kill" };
  const { runId } = await loop.enqueue(scenario.command, payload, { dedupeKey: KEY }, by);
  for (let round = 0; round < 12; round++) {
    if (isRecovery) {
      world.clock.advance(STUCK_RUN_MS + 1);
      await loop.recover();
      await loop.resume();
    }
    await loop.pass();
    await loop.deliver();
    const run = await loop.runs.readHead(runId);
    if (run && isTerminal(run)) return;
    if (run?.status !== "suspended" || run.gate.decision) continue;
    if (scenario.act === "cancel") {
      await cancel(loop, runId, by);
      return;
    }
    if (scenario.act === "edit") await personEdits(loop, world);
    if (scenario.verdict === "none") continue;
    await loop.decide(run.gate.holdId, run.gate.sha256, scenario.verdict, { ...steward, ownerUid });
    await loop.deliver();
  }
}

async function personEdits(loop: Loop, { ownerUid, stub }: World): Promise<void> {
  const content = { body: "a person's text" };
  const write = { ownerUid, memoId: stub.memoId, base: 1, content, writeToken: "person" };
  await writeMemo(loop, { ...write, writtenBy: requesterOf(steward), sessionId: null, runId: null });
}

/** One process until it dies or is done; the writes it made. */
async function firstProcess(world: World, scenario: Scenario, at: KillPoint | undefined): Promise<string[]> {
  const { doc, writes, isDead } = killable(engine.doc, at);
  const { clock, model, bells } = world;
  const loop = createLoop({ ...engine, doc }, { model, clock, bells, ids: idsOf("first") });
  try {
    await goOn(loop, world, scenario, false);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Killed;
    if (!isDead() || !(cause || error instanceof Killed)) throw error;
  }
  return writes;
}

async function assertEnd(loop: Loop, world: World, scenario: Scenario): Promise<void> {
  const { ownerUid, ids, stub } = world;
  const workflowId = ids[scenario.command === "/plain" ? "plain.md" : "auto.md"]!;
  const lane = `${ownerUid}#${workflowId}` as const;
  const item = await loop.queue.readItem(lane, itemKeyOf(KEY));
  expect(item?.status).toBe(scenario.ends);
  const run = await loop.runs.readHead(
    item?.status === "done" || item?.status === "failed" || item?.status === "cancelled" ? item.runId : "",
  );
  expect(run?.status).toBe(scenario.ends);
  expect([...(await loop.queue.readLane(lane)).inFlight]).toEqual([]);
  expect(await loop.queue.countPending(lane)).toBe(0);
  const active = await loop.runs.activeRuns(1000);
  expect(active.runIds.filter((runId) => runId === run?.runId)).toEqual([]);
  expect((await loop.runs.inbox(ownerUid, 100)).runIds).toEqual([]);
  const landing = run?.status === "done" ? run.landing : undefined;
  const history = landing ? await memoHistory(loop, ownerUid, landing.memoId as `memo_${string}`) : [];
  expect(history).toHaveLength(scenario.memos);
  const stubHistory = await memoHistory(loop, ownerUid, stub.memoId);
  expect(stubHistory).toHaveLength(scenario.act === "edit" ? 2 : 1);
  // At most one recorded output of the step, by whichever runner came first.
  expect(await loop.runs.readParts(run!.runId, stepPrefix(2, 1))).toHaveLength(1);
}

describe.each(Object.entries(SCENARIOS))("%s survives a kill", (_name, scenario) => {
  test("without a kill it ends as it should", async () => {
    const world = await givenWorld();
    const writes = await firstProcess(world, scenario, undefined);
    expect(writes.length).toBeGreaterThan(10);
    await assertEnd(createLoop(engine, { ...world, ids: idsOf("end") }), world, scenario);
  });

  test.each(["before", "after"] as const)("%s any write, with its bells kept or lost", async (when) => {
    const clean = await givenWorld();
    const total = (await firstProcess(clean, scenario, undefined)).length;
    expect(total).toBeGreaterThan(10);
    for (let write = 0; write < total; write++) {
      // Every second point with its bells lost, the others with them kept; both for each in the long run.
      for (const bellsLost of EVERY_POINT_TWICE ? [true, false] : [write % 2 === 0]) {
        const world = await givenWorld();
        await firstProcess(world, scenario, { write, when });
        if (bellsLost) world.bells.splice(0);
        const second = createLoop(engine, { ...world, ids: idsOf("second") });
        await goOn(second, world, scenario, true);
        try {
          await assertEnd(second, world, scenario);
        } catch (error) {
          throw new Error(`killed ${when} write ${write}, bells ${bellsLost ? "lost" : "kept"}`, {
            cause: error,
          });
        }
      }
    }
  });
});
