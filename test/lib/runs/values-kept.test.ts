import { afterAll, beforeAll, expect, test } from "vitest";
import { createMemo } from "../../../lib/memos/edit.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { readPlan } from "../../../lib/runs/plan.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, steward } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { OUTPUT, stepWorkflow, withOptions } from "../../support/step-workflow.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const ODD = {
  known: "x",
  extra: { nested: [{ deep: null, empty: [], none: {} }, "", 0, false] },
  nothing: null,
  list: [],
  "": "an empty name",
  __proto_: { polluted: true },
};

test("O14: extra fields, nulls, empty lists and nested values are the same after a hold and its approval", async () => {
  const said = JSON.stringify({ label: "do", ...ODD });
  const model = scriptedModel((request) => (request.stepId === "judge" ? said : "Written."));
  const loop = createLoop(engine, { model });
  await loop.importFiles({
    "odd.md": stepWorkflow({
      command: "/odd",
      steps: [
        withOptions("**process** `judge` Judge.", ["**Returns** `json`"], {
          type: "object",
          required: ["label"],
          properties: { label: { enum: ["do", "drop"] } },
        }),
        "**process** `write` Write from {{steps.judge}}.",
        OUTPUT,
      ],
    }),
  });
  const payloadText = JSON.stringify(ODD);
  const { runId, item } = await loop.enqueueText("/odd", payloadText);
  await loop.settleDown();
  const seen = async () => {
    const run = (await loop.runs.readHead(runId))!;
    const { steps, loads, manifest } = await runRecord(loop, run);
    const outputs = steps.flatMap((step) => ("output" in step ? [step.output] : []));
    const { payload } = (await readPlan(loop.runs, runId))!;
    const stored = await loop.queue.readItem(item.lane, item.itemKey);
    return { outputs, loads, manifest, payload, text: stored?.payload };
  };
  const held = await seen();
  expect(JSON.parse(held.outputs[0]!)).toEqual({ label: "do", ...ODD });
  expect(held.payload).toEqual(ODD);
  expect(held.text).toBe(payloadText);
  const run = await loop.runs.readHead(runId);
  if (run?.status !== "suspended") throw new Error("expected a hold");
  await loop.decide(run.gate.holdId, run.gate.sha256, "approve");
  await loop.deliver();
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done" });
  expect(await seen()).toEqual(held);
});

test("F52: empty texts and tags are kept as empty, and never become nothing", async () => {
  const loop = createLoop(engine, { model: scriptedModel({}) });
  const author = { principal: steward, sessionId: null };
  const { memoId } = await createMemo(loop, author, {
    title: "Empty",
    body: "",
    notes: "",
    tags: [""],
    notesTags: [""],
  });
  const memo = await readMemo(loop, OWNER, memoId);
  expect(memo).toMatchObject({ body: "", notes: "", tags: [""], notesTags: [""] });
});
