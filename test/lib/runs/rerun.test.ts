import { afterEach, beforeEach, expect, test } from "vitest";
import { cancel } from "../../../lib/runs/cancel.ts";
import { requeueOf, rerun } from "../../../lib/runs/rerun.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { killable } from "../../support/kill-switch.ts";
import { agent, createLoop, PLAIN_WORKFLOW, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
let loop: Loop;
const model = scriptedModel((_request, nth) => `Draft ${nth + 1}.`);
beforeEach(async () => {
  engine = await startEngine();
  loop = createLoop(engine, { model });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
});
afterEach(() => engine.stop());

const byAgent = { principal: agent, sessionId: null };
const bySteward = { principal: steward, sessionId: "ses_asked" };

/** A run that was rejected, with tags, a key and a payload that has its own spelling. */
async function givenEnded(topic = "again") {
  const landing = { tags: { body: ["kept"] } };
  const held = await loop.givenHeldRun("/plain", { topic }, { dedupeKey: topic, landing });
  await loop.decide(held.holdId, held.sha256, "reject");
  await loop.deliver();
  const run = (await loop.runs.readHead(held.runId))!;
  const item = (await loop.queue.readItem(`owner#${run.workflowId}`, run.itemKey))!;
  return { run, item, runId: held.runId };
}

test("a run that has ended goes again as the next generation, with its payload, landing and session", async () => {
  const { run, item, runId } = await givenEnded();
  const again = await rerun(loop, runId, byAgent);
  expect(again.repeated).toBe(false);
  const { payload, payloadHash, landing, dedupeKey, sessionId } = item;
  expect(again.item).toMatchObject({ payload, payloadHash, landing, dedupeKey, sessionId });
  expect(again.item).toMatchObject({ generation: 2, status: "pending" });
  await loop.settleDown();
  const second = await loop.runs.readHead(runId.replace(/1$/, "2"));
  expect(second).toMatchObject({ status: "suspended", generation: 2 });
  expect(await loop.runs.readHead(runId)).toEqual(run);
});

test("whoever asks for it again is its requester and may not decide it; the session is the one of the request", async () => {
  const { item } = await givenEnded();
  const again = await requeueOf(loop, item.itemId, bySteward);
  expect(again.item).toMatchObject({
    requestedBy: { principalId: steward.principalId },
    sessionId: "ses_asked",
  });
  await loop.settleDown();
  const held = await loop.runs.readHead(`${"runId" in item ? item.runId : ""}`.replace(/1$/, "2"));
  if (held?.status !== "suspended") throw new Error("expected a hold");
  await expect(loop.decide(held.gate.holdId, held.gate.sha256, "approve")).rejects.toMatchObject({
    code: "self_approval_forbidden",
  });
});

test("the same request again answers what the first has made, in whatever state it is by then", async () => {
  const { item, runId } = await givenEnded();
  const first = await rerun(loop, runId, byAgent);
  const answers = [await rerun(loop, runId, byAgent), await requeueOf(loop, item.itemId, byAgent)];
  for (const again of answers) expect(again).toEqual({ repeated: true, item: first.item });
  await loop.settleDown();
  expect(await requeueOf(loop, item.itemId, byAgent)).toMatchObject({
    repeated: true,
    item: { generation: 2, status: "claimed" },
  });
});

test("what another request has made of it is no answer: the newest run is named, and nothing is made", async () => {
  const { item, runId } = await givenEnded();
  const second = await rerun(loop, runId, byAgent);
  const newest = { itemId: second.item.itemId, runId: runId.replace(/1$/, "2"), generation: 2 };
  const refused = (status: string) => ({ code: "run_superseded", details: { ...newest, status } });
  await expect(rerun(loop, runId, bySteward)).rejects.toMatchObject(refused("pending"));
  await loop.settleDown();
  await cancel(loop, newest.runId, agent);
  await expect(requeueOf(loop, item.itemId, bySteward)).rejects.toMatchObject(refused("cancelled"));
  const third = await rerun(loop, newest.runId, byAgent);
  // The agent's own first request, too, is answered by something else now.
  await expect(rerun(loop, runId, byAgent)).rejects.toMatchObject({
    code: "run_superseded",
    details: { itemId: third.item.itemId, generation: 3 },
  });
  expect((await loop.queue.readItem(item.lane, item.itemKey))?.generation).toBe(3);
});

test("twenty requests at once make one generation", async () => {
  const { runId } = await givenEnded();
  const answers = await Promise.all(Array.from({ length: 20 }, () => rerun(loop, runId, byAgent)));
  expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
  expect(new Set(answers.map(({ item }) => item.itemId)).size).toBe(1);
});

test("an item that waits or runs is refused, and a held run too, with the states that would do", async () => {
  const { item, runId } = await loop.enqueue("/plain", { topic: "waits" });
  const allowed = ["done", "failed", "cancelled"];
  const refused = { code: "item_not_settled", details: { itemStatus: "pending", allowed } };
  await expect(requeueOf(loop, item.itemId, byAgent)).rejects.toMatchObject(refused);
  await loop.settleDown();
  await expect(requeueOf(loop, item.itemId, byAgent)).rejects.toMatchObject({
    details: { itemStatus: "claimed" },
  });
  await expect(rerun(loop, runId, byAgent)).rejects.toMatchObject({
    code: "run_not_ended",
    details: { runStatus: "suspended", allowed },
  });
  await cancel(loop, runId, agent);
  expect(await rerun(loop, runId, byAgent)).toMatchObject({ repeated: false });
});

test("another owner's item and run answer as unknown ones", async () => {
  const { item, runId } = await givenEnded();
  const stranger = { principal: { ...agent, ownerUid: "stranger" }, sessionId: null };
  await expect(requeueOf(loop, item.itemId, stranger)).rejects.toMatchObject({ code: "item_not_found" });
  await expect(rerun(loop, runId, stranger)).rejects.toMatchObject({ code: "run_not_found" });
  await expect(requeueOf(loop, "item_nothing", byAgent)).rejects.toMatchObject({ code: "item_not_found" });
});

test.each(["before", "after"] as const)(
  "killed %s any of its writes, a repeat makes it whole",
  async (when) => {
    const outcomes = new Set<boolean>();
    for (let write = 0; ; write++) {
      const { item, runId } = await givenEnded(`killed ${when} ${write}`);
      const killed = killable(engine.doc, { write, when });
      const dying = createLoop({ ...engine, doc: killed.doc }, { model });
      await rerun(dying, runId, byAgent).catch((error: unknown) => {
        if (!killed.isDead()) throw error;
      });
      if (!killed.isDead()) break;
      const left = await loop.queue.readItem(item.lane, item.itemKey);
      const { repeated } = await rerun(loop, runId, byAgent);
      expect(repeated).toBe(left?.generation === 2);
      outcomes.add(repeated);
      expect((await loop.pass()).started).toBe(1);
      await loop.settleDown();
      expect(await loop.queue.readItem(item.lane, item.itemKey)).toMatchObject({ generation: 2 });
    }
    expect([...outcomes].toSorted()).toEqual([false, true]);
  },
);
