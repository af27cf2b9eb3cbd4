import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readHold } from "../../../lib/runs/hold-view.ts";
import { intendApproved } from "../../../lib/runs/land.ts";
import { lease } from "../../../lib/runs/writes.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, PLAIN_WORKFLOW, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
let loop: Loop;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());
beforeEach(async () => {
  loop = createLoop(engine, { model: scriptedModel(() => "A draft.") });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
});

let topic = 0;
async function givenApproved() {
  const held = await loop.givenHeldRun("/plain", { topic: `take back ${++topic}` });
  const { decision } = await loop.decide(held.holdId, held.sha256, "approve");
  return { ...held, decisionId: decision.decisionId };
}
const ben = { ...steward, principalId: "human:ben", uid: "ben", username: "ben" };

test("an approval that nothing was written for is taken back: a new hold shows the same bytes, old tickets are void", async () => {
  const { runId, holdId, sha256, decisionId } = await givenApproved();
  const tickets = loop.bells.splice(0);
  const back = await loop.takeBack(holdId, decisionId);
  expect(back.holdId).not.toBe(holdId);
  expect(back.decision).toMatchObject({ verdict: "approve", decisionId });
  for (const bell of tickets) expect(await loop.run(bell)).toBe("refused");
  for (const round of ["resume", "pass", "recover"] as const) await loop[round]();
  expect(await loop.hold(runId)).toMatchObject({ holdId: back.holdId, sha256, open: true, decision: null });
  expect(await readHold(loop, OWNER, holdId)).toMatchObject({
    open: false,
    takenBack: true,
    decision: { verdict: "approve" },
  });
  // The repeat of either answer is the same answer; the old decision does not decide the new hold.
  expect((await loop.takeBack(holdId, decisionId)).holdId).toBe(back.holdId);
  const again = { verdict: "approve" as const, sha256, decisionId };
  expect((await loop.say(holdId, again)).decision.decisionId).toBe(decisionId);
  expect((await loop.hold(runId)).open).toBe(true);
  await loop.say(back.holdId, again);
  for (const bell of tickets) expect(await loop.run(bell)).toBe("refused");
  await loop.deliver();
  expect((await loop.runs.readHead(runId))?.status).toBe("done");
});

test("only who decided can take it back", async () => {
  const { holdId, decisionId } = await givenApproved();
  await expect(loop.takeBack(holdId, decisionId, ben)).rejects.toMatchObject({ code: "decider_not_allowed" });
  await expect(loop.takeBack(holdId, "dec_other")).rejects.toMatchObject({ code: "too_late" });
});

test("a runner that has the run already loses it to the take-back", async () => {
  const { runId, holdId, decisionId } = await givenApproved();
  const { epoch } = loop.bells.splice(0)[0]!;
  const leased = (await loop.runs.writeHead(runId, lease(epoch, "lease_slow", 1)))!;
  await loop.takeBack(holdId, decisionId);
  await expect(intendApproved(loop.runner, leased)).rejects.toMatchObject({ code: "lease_lost" });
  expect((await loop.hold(runId)).open).toBe(true);
});

test("once the intent stands, the memo has landed, or the run was sent back it is too late, and said why", async () => {
  const one = await givenApproved();
  const { epoch } = loop.bells.splice(0)[0]!;
  const leased = (await loop.runs.writeHead(one.runId, lease(epoch, "lease_fast", loop.clock.now())))!;
  await intendApproved(loop.runner, leased);
  await expect(loop.takeBack(one.holdId, one.decisionId)).rejects.toMatchObject({
    code: "too_late",
    message: expect.stringContaining("is landing already"),
  });
  const two = await givenApproved();
  await loop.deliver();
  await expect(loop.takeBack(two.holdId, two.decisionId)).rejects.toMatchObject({
    code: "too_late",
    message: expect.stringContaining("done"),
  });
  const three = await loop.givenHeldRun("/plain", { topic: "sent back" });
  const said = { verdict: "request_changes" as const, sha256: three.sha256, reason: "shorter" };
  const { decision } = await loop.say(three.holdId, said);
  await expect(loop.takeBack(three.holdId, decision.decisionId)).rejects.toMatchObject({
    code: "too_late",
    message: expect.stringContaining("request_changes"),
  });
});

test("an edit that is taken back leaves the draft as it was shown", async () => {
  const { runId, holdId, sha256 } = await loop.givenHeldRun("/plain", { topic: "edit taken back" });
  const { decision } = await loop.say(holdId, { verdict: "approve_edited", sha256, text: "Mine." });
  const back = await loop.takeBack(holdId, decision.decisionId);
  await loop.decide(back.holdId, sha256, "approve");
  await loop.deliver();
  const run = (await loop.runs.readHead(runId))!;
  expect(run).toMatchObject({ status: "done", intent: { sha256 } });
});
