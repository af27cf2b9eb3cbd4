import { afterAll, beforeAll, expect, test } from "vitest";
import { listHolds } from "../../../lib/runs/list-holds.ts";
import { runRecord, runSummary } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER } from "../../support/loop.ts";
import { scriptedModel, type Script } from "../../support/scripted-model.ts";
import { OUTPUT, stepWorkflow, withOptions } from "../../support/step-workflow.ts";

/** Of Anthropic's list, as somebody looked it up. */
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, asOf: "2026-05-01" };

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const used = (tokens: number, costMicroUsd: number | null) => ({
  text: "Said.",
  usage: { input: tokens, cacheRead: 0, cacheWrite: 0, output: 0, estimated: false },
  costMicroUsd,
});
const THREE = ["draft", "revise", "polish"].map((id) => `**process** \`${id}\` Write.`);

let made = 0;
async function given(script: Script, steps: readonly string[], policy: readonly string[] = []) {
  const command = `/spent${++made}`;
  const model = scriptedModel(script);
  const loop = createLoop(engine, { model, price: PRICE });
  await loop.importFiles({ [`spent${made}.md`]: stepWorkflow({ command, steps, policy }) });
  const { runId } = await loop.enqueue(command, { topic: "x", items: [1, 2, 3, 4] });
  await loop.settleDown();
  const head = async () => (await loop.runs.readHead(runId))!;
  return { loop, model, runId, head };
}

test("O29: of a budget of 5000 tokens with 3000 a call the third call is never made, and two are kept and shown", async () => {
  const { head, model, loop } = await given(
    { draft: [used(3000, 30)], revise: [used(3000, 30)], polish: [used(3000, 30)] },
    [...THREE, OUTPUT],
    ["- **Budget** `5k tokens` per run"],
  );
  // The second call begins within the budget and overshoots by its answer.
  expect(model.calls.map(({ stepId }) => stepId)).toEqual(["draft", "revise"]);
  const run = await head();
  expect(run).toMatchObject({ status: "suspended", gate: { kind: "budget", stepId: "polish" } });
  expect(runSummary(run)).toMatchObject({ tokens: 6000, costMicroUsd: 60, calls: 2 });
  const record = await runRecord(loop, run);
  expect(record.steps.slice(1, 3)).toMatchObject([{ output: "Said." }, { output: "Said." }]);
  expect(record).toMatchObject({ tokens: 6000, costMicroUsd: 60 });
  const { items } = await listHolds(loop, OWNER, { limit: 100, after: null });
  expect(items).toContainEqual(expect.objectContaining({ runId: run.runId, tokens: 6000, costMicroUsd: 60 }));
});

test("a step that stopped at its budget counts what it used, and once when it is allowed to go on", async () => {
  const steps = [
    withOptions(THREE[0]!, [
      "**For each** `payload.items` max `4` parallel `1`",
      "**Max output** `200 tokens`",
    ]),
    OUTPUT,
  ];
  const { head, loop } = await given(() => used(200, 5), steps, ["- **Budget** `500 tokens` per run"]);
  const held = await head();
  expect(held).toMatchObject({
    status: "suspended",
    gate: { kind: "budget" },
    unfinished: { tokens: 400, microUsd: 10, calls: 2 },
  });
  expect(runSummary(held)).toMatchObject({ tokens: 400, costMicroUsd: 10, calls: 2 });
  await loop.say(held.gate!.holdId, { verdict: "allow_once", sha256: held.gate!.sha256 });
  await loop.deliver();
  const after = await head();
  expect(after).toMatchObject({ gate: { kind: "output" }, spent: { tokens: 800, microUsd: 20, calls: 4 } });
  expect(after.unfinished).toBeUndefined();
  expect(await runRecord(loop, after)).toMatchObject({ tokens: 800, costMicroUsd: 20, calls: 4 });
});

test("a revision adds to what its run has spent, and to what its budget counts", async () => {
  const { head, loop, model } = await given(
    { draft: [used(600, 6), used(300, 3)] },
    [THREE[0]!, OUTPUT],
    ["- **Budget** `1000 tokens` per run", "- **On changes requested** `revise` up to `3`"],
  );
  for (const [nth, spent] of [
    [1, { tokens: 600, microUsd: 6, calls: 1 }],
    [2, { tokens: 900, microUsd: 9, calls: 2 }],
  ] as const) {
    const held = await head();
    expect(held).toMatchObject({ gate: { kind: "output" }, revision: nth, spent });
    const { holdId, sha256 } = held.gate!;
    await loop.say(holdId, { verdict: "request_changes", sha256, reason: "Shorter. ".repeat(60) });
    await loop.deliver();
  }
  // What is left of the budget does not hold the reason that the third call would be shown.
  expect(model.calls).toHaveLength(2);
  expect(await head()).toMatchObject({
    gate: { kind: "budget", revision: 3 },
    spent: { tokens: 900, calls: 2 },
  });
  expect(await runRecord(loop, await head())).toMatchObject({ tokens: 900, costMicroUsd: 9 });
});
