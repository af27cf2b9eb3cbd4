import { afterAll, beforeAll, expect, test } from "vitest";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop } from "../../support/loop.ts";
import { scriptedModel, type Script } from "../../support/scripted-model.ts";
import { OUTPUT, withOptions, stepWorkflow } from "../../support/step-workflow.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const schema = {
  type: "object",
  required: ["label", "confidence"],
  properties: {
    label: { enum: ["do", "drop"] },
    confidence: { type: "number", minimum: 0, maximum: 1 },
  },
};
const WORKFLOW = stepWorkflow({
  command: "/judge",
  steps: [withOptions("**process** `judge` Pick a label.", ["**Returns** `json`"], schema), OUTPUT],
});

async function judged(script: Script, topic: string) {
  const model = scriptedModel(script);
  const loop = createLoop(engine, { model });
  await loop.importFiles({ "judge.md": WORKFLOW });
  const { runId } = await loop.enqueue("/judge", { topic });
  await loop.settleDown();
  const run = (await loop.runs.readHead(runId))!;
  return { model, run, record: await runRecord(loop, run) };
}

const usage = (input: number, output: number) => ({
  input,
  cacheRead: 0,
  cacheWrite: 0,
  output,
  estimated: false,
});
const GOOD = '{ "label": "do", "confidence": 0.50 }';

test("JSON that fits is taken as it is, byte for byte, with one call", async () => {
  const { model, run, record } = await judged({ judge: [GOOD] }, "fits");
  expect(run.status).toBe("suspended");
  expect(model.calls).toHaveLength(1);
  expect(model.calls[0]).toMatchObject({ returns: "json", schema });
  expect(record.steps[1]).toMatchObject({ id: "judge", output: GOOD, attempts: [{ failing: [] }] });
});

test("JSON that does not fit is mended by one more call, which sees the answer and every failing place", async () => {
  const bad = '{"label":"maybe","confidence":2}';
  const script = {
    judge: [
      { text: bad, usage: usage(100, 10), costMicroUsd: 30 },
      { text: GOOD, usage: usage(150, 12), costMicroUsd: 40 },
    ],
  };
  const { model, run, record } = await judged(script, "mended");
  expect(run.status).toBe("suspended");
  const [first, second] = model.calls;
  expect(first?.parts.some(({ kind }) => kind === "repair")).toBe(false);
  expect(second?.parts.at(-1)?.kind).toBe("repair");
  expect(second?.parts.slice(0, -1)).toEqual(first?.parts);
  expect(second?.parts.at(-1)?.text).toContain('/label must be one of "do", "drop"');
  expect(second?.parts.at(-1)?.text).toContain("/confidence must be at most 1");
  expect(second?.parts.at(-1)?.text).toContain(bad);
  expect(record.steps[1]).toMatchObject({
    usage: usage(250, 22),
    costMicroUsd: 70,
    attempts: [
      { costMicroUsd: 30, failing: [{ pointer: "/label" }, { pointer: "/confidence" }] },
      { costMicroUsd: 40, failing: [] },
    ],
    output: GOOD,
  });
  expect(record.tokens).toBe(272);
});

test("a text that is no JSON is mended too", async () => {
  const { model, run } = await judged({ judge: ["I would say: do.", GOOD] }, "prose");
  expect(run.status).toBe("suspended");
  expect(model.calls[1]?.parts.at(-1)?.text).toContain("is not JSON");
});

test("after a second answer that does not fit the run ends schema_mismatch with the path, and its cost is kept", async () => {
  const bad = { text: '{"label":"do"}', usage: usage(10, 5), costMicroUsd: 3 };
  const { model, run, record } = await judged({ judge: [bad, bad] }, "never fits");
  expect(model.calls).toHaveLength(2);
  expect(run).toMatchObject({
    status: "failed",
    error: {
      code: "schema_mismatch",
      class: "model",
      message: expect.stringContaining("/confidence is required"),
    },
  });
  expect(record.steps[1]).toMatchObject({
    id: "judge",
    status: "failed",
    failed: [{ code: "schema_mismatch", output: '{"label":"do"}', attempts: [{}, {}] }],
  });
  expect(record).toMatchObject({ tokens: 30, costMicroUsd: 6 });
});

test("a refusal is shown on the step with what was said, and is not asked again", async () => {
  const refusal = { text: "I will not.", stop: "refusal" as const };
  const { model, run, record } = await judged({ judge: [refusal] }, "refused");
  expect(model.calls).toHaveLength(1);
  expect(run).toMatchObject({ status: "failed", error: { code: "model_refused" } });
  expect(record.steps[1]).toMatchObject({ failed: [{ stop: "refusal", output: "I will not." }] });
});

test("Model, Max output, Temperature and Uses of a step reach the model", async () => {
  const model = scriptedModel({ first: ["one"], second: ["two"], third: ["three"] });
  const loop = createLoop(engine, { model });
  const text = stepWorkflow({
    command: "/options",
    steps: [
      "**process** `first` Begin.",
      withOptions("**process** `second` Go on.", [
        "**Model** `small`",
        "**Max output** `150 tokens`",
        "**Temperature** `0.2`",
      ]),
      withOptions("**process** `third` End.", ["**Uses** `first`, `second`"]),
      OUTPUT,
    ],
  });
  await loop.importFiles({ "options.md": text });
  await loop.enqueue("/options", { topic: "options" });
  await loop.settleDown();
  const [first, second, third] = model.calls;
  expect(first).toMatchObject({ model: "default", maxOutputTokens: null, temperature: null });
  expect(second).toMatchObject({ model: "small", maxOutputTokens: 150, temperature: 0.2 });
  const outputs = third?.parts.filter(({ kind }) => kind === "step");
  expect(outputs?.map(({ title, text: said }) => [title, said])).toEqual([
    ["first", "one"],
    ["second", "two"],
  ]);
});
