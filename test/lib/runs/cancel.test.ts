import { afterEach, beforeEach, expect, test } from "vitest";
import { cancel, cancelItem } from "../../../lib/runs/cancel.ts";
import { laneOf } from "../../../lib/runs/run.ts";
import { costOfSessions } from "../../../lib/runs/session-cost.ts";
import { intend } from "../../../lib/runs/writes.ts";
import type { RunBell } from "../../../lib/queue/doorbell.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { agent, createLoop, OWNER, PLAIN_WORKFLOW, type Loop } from "../../support/loop.ts";
import { heldReply, scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.stop());

async function givenLoop(model = scriptedModel(() => "A draft.")): Promise<Loop> {
  const loop = createLoop(engine, { model });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  return loop;
}

async function expectEnded(loop: Loop, lane: `${string}#${string}`, itemKey: string) {
  expect((await loop.queue.readItem(lane, itemKey))?.status).toBe("cancelled");
  expect((await loop.queue.readLane(lane)).inFlight.size).toBe(0);
  expect((await loop.runs.activeRuns(10)).runIds).toEqual([]);
}

test("an item that waits is withdrawn: it never runs, and a repeat answers the same", async () => {
  const model = scriptedModel({});
  const loop = await givenLoop(model);
  const { item, runId } = await loop.enqueue("/plain", { topic: "withdrawn" });
  const run = await cancelItem(loop, item.itemId, agent);
  expect(run).toMatchObject({ runId, status: "cancelled", error: { code: "cancelled" } });
  expect(await cancelItem(loop, item.itemId, agent)).toMatchObject({ status: "cancelled" });
  await loop.settleDown();
  await expectEnded(loop, item.lane, item.itemKey);
  expect(model.calls).toEqual([]);
});

test("a pass that has read the item before it was withdrawn stops, and leaves no slot behind", async () => {
  const loop = await givenLoop(scriptedModel({}));
  const { item } = await loop.enqueue("/plain", { topic: "raced" });
  const putHead = loop.runs.putHead;
  // Between the slot and the head of the claim: the withdrawal comes first.
  let raced = false;
  loop.runs.putHead = async (head) => {
    if (!raced) {
      raced = true;
      await cancelItem({ ...loop, runs: { ...loop.runs, putHead } }, item.itemId, agent);
    }
    return putHead(head);
  };
  await loop.pass();
  expect(raced).toBe(true);
  await loop.settleDown();
  await expectEnded(loop, item.lane, item.itemKey);
});

test("a call that comes back after its run was cancelled is counted on the day and on its session alike", async () => {
  const slow = heldReply("Too late.");
  const loop = await givenLoop(scriptedModel({ draft: [slow.reply] }));
  const { runId, item } = await loop.enqueue("/plain", { topic: "paid for" });
  await loop.pass();
  const running = loop.run(loop.bells.shift() as RunBell);
  await slow.started;
  const run = await cancel(loop, runId, agent);
  slow.release();
  await running;
  const day = await loop.spend.spentOn(OWNER, item.workflowId, loop.clock.now());
  expect(day.tokens).toBeGreaterThan(0);
  const { lines } = await costOfSessions(loop, OWNER, 0);
  expect(lines.get(null)).toMatchObject({ tokens: day.tokens, calls: 1 });
  // Nobody writes an ended head: what came late stands in a row beside it.
  expect(await loop.runs.readHead(runId)).toEqual(run);
});

test("a rejected run that nobody has settled yet is finished as the rejection it is", async () => {
  const loop = await givenLoop();
  const { runId, run, holdId, sha256 } = await loop.givenHeldRun("/plain", { topic: "rejected" });
  await loop.decide(holdId, sha256, "reject");
  const cancelled = await cancel(loop, runId, agent);
  expect(cancelled).toMatchObject({ status: "cancelled", gate: { decision: { verdict: "reject" } } });
  await expectEnded(loop, laneOf(run), run.itemKey);
  const { entries } = await loop.audits.page(OWNER, { since: 0, limit: 20, after: null });
  expect(entries.map(({ act }) => act)).not.toContain("run_cancelled");
});

test("a run inside a model call is cancelled: its runner writes nothing more", async () => {
  const slow = heldReply("Too late.");
  const loop = await givenLoop(scriptedModel({ draft: [slow.reply] }));
  const { item, runId } = await loop.enqueue("/plain", { topic: "running" });
  await loop.pass();
  const running = loop.run(loop.bells.shift() as RunBell);
  await slow.started;
  expect(await cancel(loop, runId, agent)).toMatchObject({ status: "cancelled" });
  slow.release();
  await running;
  expect((await loop.runs.readHead(runId))?.status).toBe("cancelled");
  await expectEnded(loop, item.lane, item.itemKey);
});

test("a run whose approved bytes are on their way cannot be cancelled, nor one that has ended", async () => {
  const loop = await givenLoop();
  const { runId, run, holdId, sha256 } = await loop.givenHeldRun("/plain", { topic: "landing" });
  await loop.decide(holdId, sha256, "approve");
  const { epoch } = (await loop.runs.writeHead(runId, {
    name: "lease",
    set: { status: "running", epoch: run.epoch + 1, leaseOwner: "lease_x" },
    when: [],
  }))!;
  const { stepId, revision } = run.gate;
  await loop.runs.writeHead(runId, intend(epoch, { stepId, revision, sha256 }, "hold", 1));
  await expect(cancel(loop, runId, agent)).rejects.toMatchObject({
    code: "run_not_cancellable",
    details: { runStatus: "dispatching" },
  });
});

test("another owner's item answers as an unknown one", async () => {
  const loop = await givenLoop();
  const { item } = await loop.enqueue("/plain", { topic: "mine" });
  const stranger = { ...agent, ownerUid: "somebody" };
  await expect(cancelItem(loop, item.itemId, stranger)).rejects.toMatchObject({ code: "item_not_found" });
  expect((await loop.queue.readItem(item.lane, item.itemKey))?.status).toBe("pending");
});

test("a cancel that lost its race stands on record as asked for and as refused", async () => {
  const loop = await givenLoop();
  const { runId, run, holdId, sha256 } = await loop.givenHeldRun("/plain", { topic: "raced" });
  await loop.decide(holdId, sha256, "approve");
  const { stepId, revision } = run.gate;
  const writeHead = loop.runs.writeHead;
  // Between the row on record and the write: the landing comes first.
  loop.runs.writeHead = async (id, write) => {
    loop.runs.writeHead = writeHead;
    const taken = { name: "lease", set: { status: "running", epoch: run.epoch + 1, leaseOwner: "lease_x" } };
    const { epoch } = (await writeHead(id, { ...taken, when: [] }))!;
    await writeHead(id, intend(epoch, { stepId, revision, sha256 }, "hold", 1));
    return writeHead(id, write);
  };
  await expect(cancel(loop, runId, agent)).rejects.toMatchObject({ code: "run_not_cancellable" });
  const { entries } = await loop.audits.page(OWNER, { since: 0, limit: 10, after: null });
  const cancels = entries.filter(({ act }) => act === "run_cancelled").map(({ code }) => code ?? "asked for");
  expect(cancels.sort()).toEqual(["asked for", "run_not_cancellable"]);
});
