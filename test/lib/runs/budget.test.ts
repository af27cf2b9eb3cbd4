import { afterAll, beforeAll, expect, test } from "vitest";
import { elementPrefix } from "../../../lib/runs/parts.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, type Loop } from "../../support/loop.ts";
import { scriptedModel, type Script } from "../../support/scripted-model.ts";
import { OUTPUT, withOptions, stepWorkflow } from "../../support/step-workflow.ts";

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
const TWO = ["**process** `draft` Write.", "**process** `revise` Mend {{steps.draft}}.", OUTPUT];

let made = 0;
async function run(budget: string, script: Script, steps: readonly string[] = TWO, payload: object = {}) {
  const model = scriptedModel(script);
  const loop = createLoop(engine, { model });
  const command = `/budget${++made}`;
  const text = stepWorkflow({ command, steps, policy: [`- **Budget** ${budget}`] });
  await loop.importFiles({ [`budget${made}.md`]: text });
  const { runId } = await loop.enqueue(command, { topic: "x", ...payload });
  await loop.settleDown();
  const head = (await loop.runs.readHead(runId))!;
  return { model, loop, runId, head, record: await runRecord(loop, head) };
}

/** What the budget hold of a run asks. */
async function questionOf(loop: Loop, runId: string) {
  const hold = await loop.hold(runId);
  expect(hold).toMatchObject({
    kind: "budget",
    open: true,
    verdicts: ["allow_once", "cancel"],
    proposal: null,
  });
  return hold.question;
}

test("a run over its tokens waits before the next call, and keeps the finished step", async () => {
  const script = { draft: [used(990, 0)], revise: [used(1, 0)] };
  const { model, loop, runId, record } = await run("`1000 tokens` per run", script);
  expect(model.calls.map(({ stepId }) => stepId)).toEqual(["draft"]);
  expect(await questionOf(loop, runId)).toMatchObject({
    of: "run",
    unit: "tokens",
    limit: 1000,
    spent: 990,
    stepId: "revise",
    message: expect.stringContaining("990 of 1000"),
  });
  expect(record.steps.map(({ status }) => status)).toEqual(["done", "done", "held", "pending"]);
  expect(record.steps[1]).toMatchObject({ output: "Said.", tokens: 990 });
  const within = await run("`2000 tokens` per run", script);
  expect(within.head.status).toBe("suspended");
});

test("Max output counts before the call: what can come back must fit too", async () => {
  const steps = [withOptions("**process** `draft` Write.", ["**Max output** `900 tokens`"]), OUTPUT];
  const tight = await run("`900 tokens` per run", { draft: [used(1, 0)] }, steps);
  expect(tight.model.calls).toHaveLength(0);
  expect(await questionOf(tight.loop, tight.runId)).toMatchObject({ spent: 0 });
  const wide = await run("`1000 tokens` per run", { draft: [used(1, 0)] }, steps);
  expect(wide.head.status).toBe("suspended");
});

test("a run over its dollars waits with the money that is spent", async () => {
  const script = { draft: [used(10, 250_000)], revise: [used(10, 1)] };
  const { model, loop, runId, record } = await run("`$0.25` per run", script);
  expect(model.calls).toHaveLength(1);
  expect(await questionOf(loop, runId)).toMatchObject({
    unit: "microUsd",
    limit: 250_000,
    spent: 250_000,
    message: expect.stringContaining("$0.25 of $0.25"),
  });
  expect(record).toMatchObject({ costMicroUsd: 250_000 });
  const within = await run("`$0.26` per run", script);
  expect(within.head.status).toBe("suspended");
});

test("a call without a price stops a dollar budget, and does not stop one of tokens", async () => {
  const script = { draft: [used(10, null)], revise: [used(10, null)] };
  const dollars = await run("`$5` per run", script);
  expect(dollars.model.calls).toHaveLength(1);
  expect(await questionOf(dollars.loop, dollars.runId)).toMatchObject({
    spent: null,
    message: expect.stringContaining("no price"),
  });
  const tokens = await run("`5k tokens` per run", script);
  expect(tokens.head.status).toBe("suspended");
  expect(tokens.record.costMicroUsd).toBeNull();
});

test("the repair call is checked like any other", async () => {
  const steps = [withOptions("**process** `draft` Write.", ["**Returns** `json`"]), OUTPUT];
  const script = { draft: [used(995, 7)] };
  const { model, loop, runId, record } = await run("`1000 tokens` per run", script, steps);
  expect(model.calls).toHaveLength(1);
  expect(await questionOf(loop, runId)).toMatchObject({ spent: 995 });
  expect(record).toMatchObject({ tokens: 995, costMicroUsd: 7 });
});

test("elements at the same time cannot pass the budget together, and the answered ones are kept", async () => {
  const steps = [
    withOptions("**process** `judge` Judge.", [
      "**For each** `payload.items` max `8` parallel `8`",
      "**Max output** `200 tokens`",
    ]),
    OUTPUT,
  ];
  const items = Array.from({ length: 8 }, (_, n) => n);
  const { model, loop, runId, record } = await run("`1000 tokens` per run", () => used(200, 5), steps, {
    items,
  });
  expect(await questionOf(loop, runId)).toMatchObject({
    limit: 1000,
    message: expect.stringMatching(/for each element of its list: once allowed, all of them pass$/),
  });
  expect(model.calls.length).toBeGreaterThan(0);
  expect(model.calls.length).toBeLessThan(5);
  const rows = await loop.runs.readParts(runId, elementPrefix(1, 1));
  expect(rows).toHaveLength(model.calls.length);
  expect(record.steps[1]).toMatchObject({ status: "held", answered: rows.length });
  expect(record).toMatchObject({ tokens: 200 * rows.length, costMicroUsd: 5 * rows.length });
});
