import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { hasCode } from "../../../lib/core/errors.ts";
import { memoHistory } from "../../../lib/memos/read.ts";
import { decide } from "../../../lib/runs/decide.ts";
import { decideHold } from "../../../lib/runs/gate-writes.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { agent, createLoop, OWNER, PLAIN_WORKFLOW, steward, type Loop } from "../../support/loop.ts";
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
const held = () => loop.givenHeldRun("/plain", { topic: `decision ${++topic}` });

test("O01: of twenty approvals at once one wins, nineteen learn the winning decision, and one memo lands", async () => {
  const { runId, holdId, sha256 } = await held();
  const stewards = Array.from({ length: 20 }, (_, n) => ({
    ...steward,
    principalId: `human:s${n}`,
    username: `s${n}`,
  }));
  const answers = await Promise.allSettled(stewards.map((by) => loop.decide(holdId, sha256, "approve", by)));
  const won = answers.filter((answer) => answer.status === "fulfilled");
  expect(won).toHaveLength(1);
  const decision = won[0]!.value.decision;
  const lost = answers.filter((answer) => answer.status === "rejected");
  expect(lost).toHaveLength(19);
  for (const { reason } of lost) {
    if (!hasCode(reason, "already_decided")) throw reason;
    expect(reason.details.decision).toMatchObject({ by: decision.by, decisionId: decision.decisionId });
  }
  await loop.deliver();
  const run = await loop.runs.readHead(runId);
  if (run?.status !== "done" || !run.landing) throw new Error(`expected a landing, found ${run?.status}`);
  expect(await memoHistory(loop, OWNER, run.landing.memoId as `memo_${string}`)).toHaveLength(1);
});

test("an agent's principal cannot decide, whatever its scopes say", async () => {
  const { holdId, sha256 } = await held();
  const forged = { ...agent, principalId: "agent:other", scopes: steward.scopes };
  await expect(loop.decide(holdId, sha256, "approve", forged)).rejects.toMatchObject({
    code: "decider_not_allowed",
  });
});

test("F68: whoever asked cannot decide, and the write alone refuses it too", async () => {
  const { runId } = await loop.enqueue("/plain", { topic: "my own" }, {}, steward);
  await loop.settleDown();
  const run = await loop.runs.readHead(runId);
  if (run?.status !== "suspended") throw new Error("expected a hold");
  const { holdId, sha256 } = run.gate;
  await expect(loop.decide(holdId, sha256, "approve")).rejects.toMatchObject({
    code: "self_approval_forbidden",
  });
  const decision = {
    decisionId: "dec_forged",
    verdict: "approve" as const,
    by: steward.principalId,
    username: "x",
    at: 1,
  };
  const written = await loop.runs.writeHead(runId, decideHold({ holdId, sha256, ownerUid: OWNER }, decision));
  expect(written).toBeUndefined();
});

test("O09: a decision on other bytes than those of the hold changes nothing", async () => {
  const { runId, holdId, sha256 } = await held();
  const other = `sha256:${"0".repeat(64)}`;
  await expect(loop.decide(holdId, other, "approve")).rejects.toMatchObject({
    code: "stale_proposal",
    details: { current: sha256 },
  });
  expect((await loop.runs.readHead(runId))?.gate?.decision).toBeUndefined();
});

test("the same decisionId again gets the same answer, also after the memo has landed", async () => {
  const { holdId, sha256 } = await held();
  const again = () =>
    decide(loop.stewardDeps, holdId, steward, { verdict: "approve", sha256, decisionId: "dec_mine" });
  const first = await again();
  await loop.deliver();
  const second = await again();
  expect(second.decision).toEqual(first.decision);
  expect(second.run.status).toBe("done");
});

test("F65: another owner's hold answers as an unknown one", async () => {
  const { holdId, sha256 } = await held();
  const stranger = { ...steward, ownerUid: "somebody", principalId: "human:eve" };
  const error = await loop.decide(holdId, sha256, "approve", stranger).catch((caught: unknown) => caught);
  const unknownId = holdId.replace(/-h1$/, "-h9");
  const unknown = await loop.decide(unknownId, sha256, "approve").catch((caught: unknown) => caught);
  expect(hasCode(error, "hold_not_found") && error.message.replace(holdId, "")).toBe(
    hasCode(unknown, "hold_not_found") && unknown.message.replace(unknownId, ""),
  );
});

test("F70: a rejected run ends cancelled with its reason, its item settled and no memo, in any order of rounds", async () => {
  const orders = [
    ["resume", "pass", "recover", "bell"],
    ["bell", "recover", "pass", "resume"],
    ["recover", "bell", "resume", "pass"],
    ["pass", "bell", "bell", "recover"],
  ] as const;
  for (const order of orders) {
    const { runId, run, holdId, sha256 } = await held();
    const old = [...loop.rung];
    await loop.decide(holdId, sha256, "reject", steward, "not needed");
    for (const round of order) {
      if (round === "bell") for (const bell of [...old, ...loop.bells.splice(0)]) await loop.run(bell);
      else await loop[round]();
    }
    expect(await loop.runs.readHead(runId)).toMatchObject({
      status: "cancelled",
      gate: { decision: { verdict: "reject" } },
    });
    const lane = `${OWNER}#${run.workflowId}` as const;
    expect((await loop.queue.readItem(lane, run.itemKey))?.status).toBe("cancelled");
    expect((await loop.queue.readLane(lane)).inFlight.size).toBe(0);
    expect((await loop.runs.readHead(runId))?.intent).toBeUndefined();
  }
});

test("with reviewers `other` the person in whose name an agent asked cannot decide; named reviewers alone can", async () => {
  const reviewed = (name: string, reviewers: string) =>
    PLAIN_WORKFLOW.replaceAll("/plain", name).replace(
      "- **Destination**",
      `- **Reviewers** ${reviewers}\n- **Destination**`,
    );
  await loop.importFiles({ "o.md": reviewed("/others", "`other`"), "n.md": reviewed("/named", "`ben`") });
  const ana = { ...steward, uid: agent.uid };
  const ben = { ...steward, principalId: "human:ben", uid: "ben", username: "ben" };
  const others = await loop.givenHeldRun("/others", { topic: "others" });
  await expect(loop.decide(others.holdId, others.sha256, "approve", ana)).rejects.toMatchObject({
    code: "self_approval_forbidden",
  });
  await expect(loop.decide(others.holdId, others.sha256, "approve", ben)).resolves.toBeDefined();
  const named = await loop.givenHeldRun("/named", { topic: "named" });
  await expect(loop.decide(named.holdId, named.sha256, "approve", steward)).rejects.toMatchObject({
    code: "decider_not_allowed",
  });
  await expect(loop.decide(named.holdId, named.sha256, "approve", ben)).resolves.toBeDefined();
});
