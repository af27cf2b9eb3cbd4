import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../../../lib/core/errors.ts";
import { randomIds } from "../../../lib/core/ids.ts";
import { runRecord, runSummary } from "../../../lib/runs/run-view.ts";
import { rowBytes } from "../../bench/write-units.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop } from "../../support/loop.ts";
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

test("a list says what a run has spent, also of calls that were of no use", async () => {
  const steps = [withOptions(THREE[0]!, ["**Returns** `json`"], { type: "object" }), OUTPUT];
  const mended = await given({ draft: [used(100, 7), { ...used(50, 5), text: "{}" }] }, steps);
  expect((await mended.head()).spent).toEqual({ tokens: 150, microUsd: 12, calls: 2 });
  const never = await given({ draft: [used(100, 7), used(60, 6)] }, steps);
  const head = await never.head();
  expect(head).toMatchObject({ status: "failed", error: { code: "schema_mismatch" } });
  expect(runSummary(head)).toMatchObject({ tokens: 160, costMicroUsd: 13, calls: 2 });
  expect(await runRecord(never.loop, head)).toMatchObject({ tokens: 160, costMicroUsd: 13, calls: 2 });
});

test("a try that was paid for and led to nothing counts beside the one that did", async () => {
  const steps = [withOptions(THREE[0]!, ["**Returns** `json`"], { type: "object" }), OUTPUT];
  const failure = new AppError("model_failed", "no answer", { stepId: "draft", attempts: 1 });
  const { head } = await given({ draft: [used(100, 7), failure, { ...used(50, 5), text: "{}" }] }, steps);
  expect((await head()).spent).toEqual({ tokens: 150, microUsd: 12, calls: 2 });
});

test("the elements of a step that failed count, once when it is done by a later try", async () => {
  const steps = [withOptions(THREE[0]!, ["**For each** `payload.items` max `4` parallel `1`"]), OUTPUT];
  const failure = new AppError("model_failed", "no answer", { stepId: "draft", attempts: 1 });
  const once = await given({ draft: [used(10, 1), used(10, 1), failure, used(10, 1), used(10, 1)] }, steps);
  expect((await once.head()).spent).toEqual({ tokens: 40, microUsd: 4, calls: 4 });
  const never = await given({ draft: [used(10, 1), used(10, 1), failure] }, steps, ["- **Retries** `0`"]);
  const head = await never.head();
  expect(head.status).toBe("failed");
  expect(head.unfinished).toEqual({ tokens: 20, microUsd: 2, calls: 2 });
  expect(runSummary(head)).toMatchObject({ tokens: 20, costMicroUsd: 2, calls: 2 });
});

test("one call without a price leaves no cost of the whole run, in its list either", async () => {
  const { head, loop } = await given({ draft: [used(10, 5)], revise: [used(10, null)] }, [
    ...THREE.slice(0, 2),
    OUTPUT,
  ]);
  expect(runSummary(await head())).toMatchObject({ tokens: 20, costMicroUsd: null, calls: 2 });
  expect(await runRecord(loop, await head())).toMatchObject({ tokens: 20, costMicroUsd: null });
});

test("a step keeps the cost and the price of its time: a new price changes nothing of it", async () => {
  const { head, loop } = await given({ draft: [used(1000, 3000)] }, [THREE[0]!, OUTPUT]);
  const before = await runRecord(loop, await head());
  const price = { asOf: "2026-05-01", hash: expect.stringMatching(/^sha256:[0-9a-f]{16}$/) };
  expect(before.steps[1]).toMatchObject({ costMicroUsd: 3000, price });
  loop.runner.pricingOf = (model) => ({ model, price: { ...PRICE, input: 300, asOf: "2026-06-01" } });
  const after = await runRecord(loop, await head());
  expect(after.steps[1]).toMatchObject({ costMicroUsd: 3000, price });
});

test("the head of a run that was held, approved and landed stays under 1 KB with what it has spent", async () => {
  const model = scriptedModel(() => used(12_345_678, 87_654_321));
  const loop = createLoop(engine, { model, price: PRICE, ids: randomIds });
  const policy = ["- **Budget** `999999k tokens` per run"];
  const command = `/spent${++made}`;
  await loop.importFiles({
    [`spent${made}.md`]: stepWorkflow({ command, steps: [...THREE, OUTPUT], policy }),
  });
  const { runId } = await loop.enqueueText(command, '{"topic":"x"}', randomIds("ses"));
  await loop.settleDown();
  const held = (await loop.runs.readHead(runId))!;
  await loop.decide(held.gate!.holdId, held.gate!.sha256, "approve");
  await loop.deliver();
  const done = (await loop.runs.readHead(runId))!;
  expect(done).toMatchObject({ status: "done", spent: { calls: 3 } });
  expect(rowBytes(done)).toBeLessThan(1024);
});
