import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR_MS } from "../../../lib/core/duration.ts";
import type { Id, Ids } from "../../../lib/core/ids.ts";
import { requesterOf } from "../../../lib/core/principal.ts";
import { memoHistory } from "../../../lib/memos/read.ts";
import { writeMemo } from "../../../lib/memos/write.ts";
import type { RunBell } from "../../../lib/queue/doorbell.ts";
import { cancel } from "../../../lib/runs/cancel.ts";
import { STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import { stepPrefix } from "../../../lib/runs/parts.ts";
import type { DecisionRequest } from "../../../lib/runs/decision-request.ts";
import { isTerminal, type GateKind, type Run, type RunIn, type Verdict } from "../../../lib/runs/run.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createMemoryEngine } from "../../support/memory/engine.ts";
import { Killed, killable, type KillPoint } from "../../support/kill-switch.ts";
import { agent, AUTO_WORKFLOW, createLoop, PLAIN_WORKFLOW, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { workflowText } from "../../support/workflow-text.ts";

/*
 * A process dies before or after each of its writes; another one goes on with what is in the store. Whatever the
 * point, the run ends as it would have: one memo or none, the item settled, the slot free.
 */

let engine: StoreEngine;
beforeAll(async () => {
  engine = await newEngine();
});
afterAll(() => engine.stop());

/** What a person says at each hold in turn, by its kind. */
type Answers = Partial<Record<GateKind, Verdict>>;
type Scenario = {
  command: "/plain" | "/auto" | "/tight" | "/timed";
  says: Answers;
  /** `edit`: a person writes the target before the first decision. `take_back`: the first approval is taken back. */
  act?: "edit" | "cancel" | "take_back" | "schedule";
  ends: "done" | "cancelled" | "failed";
  memos: 0 | 1;
  /** The revision whose draft ends the run. */
  revision?: number;
};
const SCENARIOS: Record<string, Scenario> = {
  "an approved hold": { command: "/plain", says: { output: "approve" }, ends: "done", memos: 1 },
  "a rejected hold": { command: "/plain", says: { output: "reject" }, ends: "cancelled", memos: 0 },
  "an edited hold": { command: "/plain", says: { output: "approve_edited" }, ends: "done", memos: 1 },
  "a hold that is sent back": {
    command: "/plain",
    says: { output: "request_changes" },
    ends: "done",
    memos: 1,
    revision: 2,
  },
  "an automatic landing": { command: "/auto", says: {}, ends: "done", memos: 1 },
  "a rebased conflict": {
    command: "/plain",
    says: { output: "approve", conflict: "rebase" },
    act: "edit",
    ends: "done",
    memos: 1,
  },
  "a replaced conflict": {
    command: "/plain",
    says: { output: "approve", conflict: "replace" },
    act: "edit",
    ends: "done",
    memos: 1,
  },
  "a conflict of which both are kept": {
    command: "/plain",
    says: { output: "approve", conflict: "keep_both" },
    act: "edit",
    ends: "done",
    memos: 1,
  },
  "a rejected conflict": {
    command: "/plain",
    says: { output: "approve", conflict: "reject" },
    act: "edit",
    ends: "cancelled",
    memos: 0,
  },
  "a budget that is allowed once": {
    command: "/tight",
    says: { budget: "allow_once", output: "approve" },
    ends: "done",
    memos: 1,
  },
  "a budget that ends the run": {
    command: "/tight",
    says: { budget: "cancel" },
    ends: "cancelled",
    memos: 0,
  },
  "an approval that is taken back": {
    command: "/plain",
    says: { output: "approve" },
    act: "take_back",
    ends: "done",
    memos: 1,
  },
  "a schedule": { command: "/timed", says: {}, act: "schedule", ends: "done", memos: 1 },
  "a cancelled hold": { command: "/plain", says: {}, act: "cancel", ends: "cancelled", memos: 0 },
};

const FILES: Record<Scenario["command"], { path: string; text: string }> = {
  "/plain": { path: "plain.md", text: PLAIN_WORKFLOW },
  "/auto": { path: "auto.md", text: AUTO_WORKFLOW },
  "/tight": {
    path: "tight.md",
    text: PLAIN_WORKFLOW.replaceAll("/plain", "/tight").replace("`40k tokens`", "`1 tokens`"),
  },
  // One slot, an hour after the clock starts.
  "/timed": {
    path: "timed.md",
    text: workflowText({ command: "/timed", trigger: ["**Invoke** `schedule cron(0 10 5 1 ? 2026)`"] }),
  },
};

/**
 * Every point with its bells kept and lost, on the engine in memory; otherwise on the embedded one, at every third
 * point, since each of its requests is a real one. test/conformance holds the two engines to the same answers.
 */
const IS_EVERY_POINT = process.env["KILL_POINTS"] === "all";
const STRIDE = 3;

type StoreEngine = Pick<Engine, "doc" | "tables" | "stop">;

async function newEngine(): Promise<StoreEngine> {
  if (!IS_EVERY_POINT) return startEngine();
  const { doc, tables } = createMemoryEngine();
  return { doc, tables, stop: async () => undefined };
}

const KEY = "kill";
let owners = 0;

/** Ids of one process: another process never has the same ones. */
const idsOf =
  (process: string): Ids =>
  (prefix) =>
    `${prefix}_${process}x${++owners}`;

/** An engine of a world's own ends with it. */
const over = async (world: World): Promise<void> => {
  if (world.engine !== engine) await world.engine.stop();
};

type World = Awaited<ReturnType<typeof givenWorld>>;

async function givenWorld(scenario: Scenario) {
  // What is due is found by an index that all owners share.
  const own = scenario.act === "schedule" ? await newEngine() : engine;
  const ownerUid = `owner${++owners}`;
  const clock = testClock();
  const model = scriptedModel((_request, nth) => `Draft ${nth + 1}.`);
  const first = createLoop(own, { model, clock, ids: idsOf("setup") });
  const { path, text } = FILES[scenario.command];
  const ids = await first.importFiles({ [path]: text }, ownerUid);
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
  const workflowId = ids[path]!;
  return { engine: own, ownerUid, clock, model, workflowId, stub: stub.memo, bells: [] as RunBell[] };
}

/** The run of the one item, once there is one. */
async function findRun(loop: Loop, world: World, scenario: Scenario): Promise<Run | undefined> {
  const { ownerUid, stub } = world;
  if (scenario.act === "schedule") {
    await loop.fire();
    const { runIds } = await loop.runs.runsOfOwner(ownerUid, 1);
    return runIds[0] === undefined ? undefined : loop.runs.readHead(runIds[0]);
  }
  const payload = scenario.act === "edit" ? { topic: "kill", targetMemoId: stub.memoId } : { topic: "kill" };
  const by = { ...agent, ownerUid };
  const { runId } = await loop.enqueue(scenario.command, payload, { dedupeKey: KEY }, by);
  return loop.runs.readHead(runId);
}

/** What people and the queue do, from wherever the store stands; safe to do again. */
async function goOn(loop: Loop, world: World, scenario: Scenario, isRecovery: boolean): Promise<void> {
  if (scenario.act === "schedule") world.clock.advance(HOUR_MS);
  await findRun(loop, world, scenario);
  for (let round = 0; round < 14; round++) {
    if (isRecovery) {
      world.clock.advance(STUCK_RUN_MS + 1);
      await loop.recover();
      await loop.resume();
    }
    await loop.pass();
    await loop.deliver();
    const run = await findRun(loop, world, scenario);
    if (run && isTerminal(run)) return;
    if (run?.status !== "suspended" || run.gate.decision) continue;
    if (scenario.act === "cancel") {
      await cancel(loop, run.runId, { ...agent, ownerUid: world.ownerUid });
      return;
    }
    await answer(loop, world, scenario, run);
    await loop.deliver();
  }
}

/** What a person says at an open hold. */
async function answer(loop: Loop, world: World, scenario: Scenario, run: RunIn<"suspended">): Promise<void> {
  const { kind, holdId, sha256 } = run.gate;
  const by = { ...steward, ownerUid: world.ownerUid };
  if (scenario.act === "edit" && kind === "output") await personEdits(loop, world);
  const wanted = scenario.says[kind];
  if (!wanted) return;
  // A draft is sent back once.
  const verdict = wanted === "request_changes" && run.revision > 1 ? "approve" : wanted;
  const more: Record<string, object> = {
    approve_edited: { text: "A person's text." },
    rebase: { onVersion: 2, text: "Settled." },
    replace: { onVersion: 2 },
  };
  const request = { verdict, sha256, reason: "because", ...more[verdict] } as DecisionRequest;
  const { decision } = await loop.say(holdId, request, by);
  if (scenario.act === "take_back" && run.holdSeq === 1) await loop.takeBack(holdId, decision.decisionId, by);
}

async function personEdits(loop: Loop, { ownerUid, stub }: World): Promise<void> {
  const content = { body: "a person's text" };
  const write = { ownerUid, memoId: stub.memoId, base: 1, content, writeToken: "person" };
  await writeMemo(loop, { ...write, writtenBy: requesterOf(steward), sessionId: null, runId: null });
}

/** One process until it dies or is done; the writes it made. */
async function firstProcess(world: World, scenario: Scenario, at: KillPoint | undefined): Promise<string[]> {
  const { doc, writes, isDead } = killable(world.engine.doc, at);
  const { clock, model, bells } = world;
  const loop = createLoop({ ...world.engine, doc }, { model, clock, bells, ids: idsOf("first") });
  try {
    await goOn(loop, world, scenario, false);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Killed;
    if (!isDead() || !(cause || error instanceof Killed)) throw error;
  }
  return writes;
}

async function assertEnd(loop: Loop, world: World, scenario: Scenario): Promise<void> {
  const { ownerUid, workflowId, stub } = world;
  const lane = `${ownerUid}#${workflowId}` as const;
  const { runIds } = await loop.runs.runsOfOwner(ownerUid, 10);
  expect(runIds).toHaveLength(1);
  const run = (await loop.runs.readHead(runIds[0]!))!;
  expect(run).toMatchObject({ status: scenario.ends, revision: scenario.revision ?? 1 });
  const item = await loop.queue.readItem(lane, run.itemKey);
  expect(item).toMatchObject({ status: scenario.ends, runId: run.runId });
  expect([...(await loop.queue.readLane(lane)).inFlight]).toEqual([]);
  expect(await loop.queue.countPending(lane)).toBe(0);
  const active = await loop.runs.activeRuns(1000);
  expect(active.runIds.filter((runId) => runId === run.runId)).toEqual([]);
  expect((await loop.runs.inbox(ownerUid, 100)).runIds).toEqual([]);
  // One version of one memo by this run, or none; and a person's stay.
  const landing = run.status === "done" ? run.landing : undefined;
  const touched = [...new Set([stub.memoId, ...(landing ? [landing.memoId as Id<"memo">] : [])])];
  const histories = await Promise.all(touched.map((memoId) => memoHistory(loop, ownerUid, memoId)));
  const tokens = histories.flat().map(({ writeToken }) => writeToken);
  const own = (token: string) => token.startsWith(`${run.runId}#`);
  expect(tokens.filter(own)).toHaveLength(scenario.memos);
  expect(tokens.filter((token) => !own(token)).toSorted()).toEqual(
    scenario.act === "edit" ? ["person", "stub"] : ["stub"],
  );
  // At most one recorded output of the step in each revision, by whichever runner came first.
  const at = scenario.command === "/timed" ? 1 : 2;
  for (let revision = 1; revision <= run.revision; revision++) {
    const rows = await loop.runs.readParts(run.runId, stepPrefix(at, revision));
    expect(rows).toHaveLength(scenario.says.budget === "cancel" ? 0 : 1);
  }
}

describe.each(Object.entries(SCENARIOS))("%s survives a kill", (_name, scenario) => {
  test("without a kill it ends as it should", async () => {
    const world = await givenWorld(scenario);
    const writes = await firstProcess(world, scenario, undefined);
    expect(writes.length).toBeGreaterThan(10);
    await assertEnd(createLoop(world.engine, { ...world, ids: idsOf("end") }), world, scenario);
    await over(world);
  });

  test.each(["before", "after"] as const)("%s any write, with its bells kept or lost", async (when) => {
    const clean = await givenWorld(scenario);
    const total = (await firstProcess(clean, scenario, undefined)).length;
    await over(clean);
    expect(total).toBeGreaterThan(10);
    for (let write = 0; write < total; write += IS_EVERY_POINT ? 1 : STRIDE) {
      for (const bellsLost of IS_EVERY_POINT ? [true, false] : [write % 2 === 0]) {
        const world = await givenWorld(scenario);
        await firstProcess(world, scenario, { write, when });
        if (bellsLost) world.bells.splice(0);
        const second = createLoop(world.engine, { ...world, ids: idsOf("second") });
        try {
          await goOn(second, world, scenario, true);
          await assertEnd(second, world, scenario);
          await over(world);
        } catch (error) {
          throw new Error(`killed ${when} write ${write}, bells ${bellsLost ? "lost" : "kept"}`, {
            cause: error,
          });
        }
      }
    }
  });
});
