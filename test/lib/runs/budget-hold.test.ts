import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY_MS } from "../../../lib/core/duration.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop } from "../../support/loop.ts";
import { scriptedModel, type Script } from "../../support/scripted-model.ts";
import { OUTPUT, stepWorkflow } from "../../support/step-workflow.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const used = (tokens: number) => ({
  text: `Said for ${tokens}.`,
  usage: { input: tokens, cacheRead: 0, cacheWrite: 0, output: 0, estimated: false },
  costMicroUsd: 0,
});
const THREE = [
  "**process** `draft` Write.",
  "**process** `mend` Mend {{steps.draft}}.",
  "**process** `check` Check {{steps.mend}}.",
  OUTPUT,
];

let made = 0;
async function overBudget(
  script: Script,
  more: { steps?: readonly string[]; policy?: readonly string[] } = {},
) {
  const model = scriptedModel(script);
  const loop = createLoop(engine, { model });
  const command = `/over${++made}`;
  const policy = more.policy ?? ["- **Budget** `1000 tokens` per run"];
  await loop.importFiles({
    [`over${made}.md`]: stepWorkflow({ command, steps: more.steps ?? THREE, policy }),
  });
  const { runId } = await loop.enqueue(command, { topic: "x" });
  await loop.settleDown();
  return { loop, model, runId, hold: await loop.hold(runId) };
}

test("allow_once lets the step that was refused run, keeps what was done, and no other step passes by it", async () => {
  const script = { draft: [used(990)], mend: [used(50)], check: [used(5)] };
  const { loop, model, runId, hold } = await overBudget(script);
  expect(hold).toMatchObject({ kind: "budget", stepId: "mend", question: { spent: 990, limit: 1000 } });
  await loop.say(hold.holdId, { verdict: "allow_once", sha256: hold.sha256 });
  await loop.deliver();
  expect(model.calls.map(({ stepId }) => stepId)).toEqual(["draft", "mend"]);
  const next = await loop.hold(runId);
  expect(next).toMatchObject({ kind: "budget", stepId: "check", question: { spent: 1040 } });
  expect(next.holds.map(({ decision }) => decision?.verdict)).toEqual(["allow_once", undefined]);
  await loop.say(next.holdId, { verdict: "allow_once", sha256: next.sha256 });
  await loop.deliver();
  const held = await loop.hold(runId);
  expect(held).toMatchObject({ kind: "output", proposal: { text: "Said for 5." } });
  await loop.decide(held.holdId, held.sha256, "approve");
  await loop.deliver();
  expect((await loop.runs.readHead(runId))?.status).toBe("done");
  expect(model.calls).toHaveLength(3);
});

test("cancel ends the run, and says so on the item", async () => {
  const { loop, model, runId, hold } = await overBudget({ draft: [used(990)] });
  await loop.say(hold.holdId, { verdict: "cancel", sha256: hold.sha256, reason: "too dear" });
  await loop.deliver();
  const run = (await loop.runs.readHead(runId))!;
  expect(run.status).toBe("cancelled");
  expect((await runRecord(loop, run)).hold).toMatchObject({
    decision: { verdict: "cancel", reason: "too dear" },
  });
  expect(model.calls).toHaveLength(1);
});

test("a budget hold that nobody answers expires, and the run is cancelled", async () => {
  const { loop, runId } = await overBudget({ draft: [used(990)] });
  loop.clock.advance(15 * DAY_MS);
  expect((await loop.recover()).expired).toBe(1);
  expect(await loop.runs.readHead(runId)).toMatchObject({
    status: "cancelled",
    gate: { kind: "budget", decision: { verdict: "expire" } },
  });
});

test.each(["approve", "reject", "request_changes"] as const)(
  "%s says nothing of a budget",
  async (verdict) => {
    const { loop, hold } = await overBudget({ draft: [used(990)] });
    const request = { verdict, sha256: hold.sha256, reason: "why" };
    await expect(loop.say(hold.holdId, request)).rejects.toMatchObject({
      code: "verdict_not_allowed",
      details: { allowed: ["allow_once", "cancel"] },
    });
  },
);

test("a revision that is over its budget still knows why it was asked for", async () => {
  const script = { draft: [used(998), used(30)] };
  const steps = ["**process** `draft` Write.", OUTPUT];
  const { loop, model, runId, hold: first } = await overBudget(script, { steps });
  expect(first.kind).toBe("output");
  await loop.say(first.holdId, { verdict: "request_changes", sha256: first.sha256, reason: "name the date" });
  await loop.deliver();
  const budget = await loop.hold(runId);
  expect(budget).toMatchObject({ kind: "budget", revision: 2, revises: first.holdId });
  await loop.say(budget.holdId, { verdict: "allow_once", sha256: budget.sha256 });
  await loop.deliver();
  expect(model.calls).toHaveLength(2);
  expect(model.calls[1]!.parts.slice(-2).map(({ kind, text }) => [kind, text])).toEqual([
    ["draft", "Said for 998."],
    ["revision", "name the date"],
  ]);
  expect(await loop.hold(runId)).toMatchObject({ kind: "output", revision: 2, revises: first.holdId });
});

test("what is allowed is the limit that was asked about: the day asks for itself, and both answers hold", async () => {
  const policy = ["- **Budget** `1000 tokens` per run, `1000 tokens` per day"];
  const steps = ["**process** `draft` Write.", "**process** `mend` Mend {{steps.draft}}.", OUTPUT];
  const script = { draft: [used(990)], mend: [used(50)] };
  const { loop, model, runId, hold } = await overBudget(script, { steps, policy });
  expect(hold).toMatchObject({ kind: "budget", question: { of: "run", limit: 1000 } });
  await loop.say(hold.holdId, { verdict: "allow_once", sha256: hold.sha256 });
  await loop.deliver();
  expect(model.calls).toHaveLength(1);
  const next = await loop.hold(runId);
  expect(next).toMatchObject({
    kind: "budget",
    stepId: "mend",
    question: { of: "workflow day", limit: 1000 },
  });
  await loop.say(next.holdId, { verdict: "allow_once", sha256: next.sha256 });
  await loop.deliver();
  expect(model.calls).toHaveLength(2);
  expect(await loop.hold(runId)).toMatchObject({ kind: "output" });
});
