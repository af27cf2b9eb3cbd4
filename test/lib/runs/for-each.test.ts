import { afterAll, beforeAll, expect, test } from "vitest";
import { rawElements } from "../../../lib/core/json-slice.ts";
import { elementPrefix, stepPrefix } from "../../../lib/runs/parts.ts";
import { STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { AppError } from "../../../lib/core/errors.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop } from "../../support/loop.ts";
import { scriptedModel, type Script } from "../../support/scripted-model.ts";
import { OUTPUT, withOptions, stepWorkflow } from "../../support/step-workflow.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const schema = { type: "object", required: ["n"], properties: { n: { type: "number" } } };
const textFor = (command: string, forEach: string, options: readonly string[] = ["**Returns** `json`"]) =>
  stepWorkflow({
    command,
    inputs: ["- **Input** `items` json — what to go through"],
    steps: [
      withOptions(
        "**process** `judge` Judge the item.",
        [`**For each** ${forEach}`, ...options],
        options[0]?.includes("json") ? schema : undefined,
      ),
      OUTPUT,
    ],
    policy: ["- **Retries** `0`"],
  });

let made = 0;
async function givenLoop(
  script: Script,
  forEach: string,
  more: Parameters<typeof createLoop>[1] | object = {},
) {
  const model = scriptedModel(script);
  const loop = createLoop(engine, { ...more, model });
  const command = `/each${++made}`;
  await loop.importFiles({ [`each${made}.md`]: textFor(command, forEach) });
  return { model, loop, command };
}

/** The element that a request shows, as its title and text. */
const elementOf = (parts: readonly { title: string; text: string }[]) => {
  const part = parts.find(({ title }) => /^item \d+ of \d+$/.test(title));
  return [part?.title, part?.text] as const;
};

test("each element is one call, and the output is the list of the answers in order", async () => {
  const { model, loop, command } = await givenLoop(
    (request) => `{"n": ${elementOf(request.parts)[1]!.length}}`,
    "`payload.items` max `10` parallel `3`",
  );
  const { runId } = await loop.enqueue(command, { items: ["a", "bb", "ccc"] });
  await loop.settleDown();
  const run = (await loop.runs.readHead(runId))!;
  expect(run.status).toBe("suspended");
  expect(model.calls.map(({ parts }) => elementOf(parts)).toSorted()).toEqual([
    ["item 1 of 3", "a"],
    ["item 2 of 3", "bb"],
    ["item 3 of 3", "ccc"],
  ]);
  const record = await runRecord(loop, run);
  expect(record.steps[1]).toMatchObject({
    output: '[{"n": 1},\n{"n": 2},\n{"n": 3}]',
    forEach: { elements: 3, asked: 3, cut: 0, failed: 0 },
  });
  expect(await loop.runs.readParts(runId, elementPrefix(1, 1))).toHaveLength(3);
});

test("elements past max are not asked, and the row says how many", async () => {
  const { model, loop, command } = await givenLoop(() => '{"n":1}', "`payload.items` max `2`");
  const { runId } = await loop.enqueue(command, { items: [1, 2, 3, 4, 5] });
  await loop.settleDown();
  expect(model.calls).toHaveLength(2);
  expect(elementOf(model.calls[1]!.parts)[0]).toBe("item 2 of 5");
  const record = await runRecord(loop, (await loop.runs.readHead(runId))!);
  expect(record.steps[1]).toMatchObject({ forEach: { elements: 5, asked: 2, cut: 3 } });
});

test("as many calls as parallel run at the same time, and never more", async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const { loop, command } = await givenLoop(
    () => async () => {
      await new Promise<void>((resolve) => (most = Math.max(most, waiting.push(resolve))));
      return '{"n":1}';
    },
    "`payload.items` max `20` parallel `4`",
  );
  await loop.enqueue(command, { items: Array.from({ length: 12 }, (_, n) => n) });
  const settled = loop.settleDown();
  for (let left = 12; left > 0; left--) {
    await expect.poll(() => waiting.length).toBe(Math.min(4, left));
    waiting.shift()?.();
  }
  await settled;
  expect(most).toBe(4);
});

test("an answer that never fits becomes an error in its place, and the others stand", async () => {
  const { model, loop, command } = await givenLoop(
    (request) => (elementOf(request.parts)[1] === "bad" ? "no" : '{"n":1}'),
    "`payload.items`",
  );
  const { runId } = await loop.enqueue(command, { items: ["good", "bad", "good too"] });
  await loop.settleDown();
  const run = (await loop.runs.readHead(runId))!;
  expect(run.status).toBe("suspended");
  expect(model.calls).toHaveLength(4);
  const record = await runRecord(loop, run);
  const step = record.steps[1] as { output: string };
  const output = JSON.parse(step.output) as unknown[];
  expect(output).toMatchObject([{ n: 1 }, { error: { code: "schema_mismatch" } }, { n: 1 }]);
  expect(step).toMatchObject({ forEach: { failed: 1 } });
  expect(record.tokens).toBe(
    (await loop.runs.readParts(runId, elementPrefix(1, 1))).reduce((sum, row) => {
      const usage = row["usage"] as { input: number; output: number };
      return sum + usage.input + usage.output;
    }, 0),
  );
});

test("an element reaches the model byte for byte, whatever its numbers are (F50)", async () => {
  const { model, loop, command } = await givenLoop(() => '{"n":1}', "`payload.items.list`");
  const items = ['{"n":9007199254740993,"m":1.23e40,"k":1e-7,"z":-0}', "[1.0, 2]"];
  const payloadText = `{"items":{"list":[${items.join(" , ")}]}}`;
  const { runId } = await loop.enqueueText(command, payloadText);
  await loop.settleDown();
  expect((await loop.runs.readHead(runId))?.status).toBe("suspended");
  expect(model.calls.map(({ parts }) => elementOf(parts)[1])).toEqual(items);
  expect(model.calls[0]?.parts.find(({ title }) => title === "payload")?.text).toBe(payloadText);
});

test("a crash in the middle repeats only the elements without an answer", async () => {
  const hang = Promise.withResolvers<string>();
  let asked = 0;
  const { model, loop, command } = await givenLoop(
    () => (++asked === 3 ? () => hang.promise : '{"n":1}'),
    "`payload.items`",
  );
  const { runId } = await loop.enqueue(command, { items: ["a", "b", "c", "d"] });
  await loop.pass();
  const dead = loop.run(loop.bells.shift()!);
  await expect.poll(() => model.calls.length).toBe(3);
  loop.clock.advance(STUCK_RUN_MS + 1);
  expect(await loop.recover()).toMatchObject({ recovered: 1 });
  await loop.deliver();
  const run = (await loop.runs.readHead(runId))!;
  expect(run.status).toBe("suspended");
  expect(model.calls.map(({ parts }) => elementOf(parts)[1])).toEqual(["a", "b", "c", "c", "d"]);
  hang.resolve('{"n":99}');
  await dead;
  expect(model.calls).toHaveLength(5);
  const [row, more] = await loop.runs.readParts(runId, stepPrefix(1, 1));
  expect(rawElements(row!.text)).toEqual(['{"n":1}', '{"n":1}', '{"n":1}', '{"n":1}']);
  expect(more).toBeUndefined();
  expect(await loop.runs.readHead(runId)).toEqual(run);
});

test("a model that fails at one element fails the step, and the answered ones are not asked again", async () => {
  let failed = false;
  const model = scriptedModel((request) => {
    if (elementOf(request.parts)[1] !== "b" || failed) return '{"n":1}';
    failed = true;
    return new AppError("model_failed", "no answer", { stepId: "judge", attempts: 1 });
  });
  const loop = createLoop(engine, { model });
  const text = textFor("/flaky", "`payload.items`").replace("`0`", "`1`");
  await loop.importFiles({ "flaky.md": text });
  const { runId } = await loop.enqueue("/flaky", { items: ["a", "b", "c"] });
  await loop.settleDown();
  expect((await loop.runs.readHead(runId))?.status).toBe("suspended");
  expect(model.calls.map(({ parts }) => elementOf(parts)[1])).toEqual(["a", "b", "b", "c"]);
});

test("when the invocation's time runs out the rest is done by the next one", async () => {
  let left = 900_000;
  const { model, loop, command } = await givenLoop(() => '{"n":1}', "`payload.items`", {
    remainingMs: () => (left -= 200_000),
  });
  const { runId } = await loop.enqueue(command, { items: ["a", "b", "c", "d", "e", "f"] });
  await loop.pass();
  await loop.run(loop.bells.shift()!);
  const paused = (await loop.runs.readHead(runId))!;
  expect(paused).toMatchObject({ status: "running", step: 1, hops: 1 });
  expect(model.calls.length).toBeGreaterThan(0);
  expect(model.calls.length).toBeLessThan(6);
  left = 9_000_000;
  await loop.deliver();
  expect((await loop.runs.readHead(runId))?.status).toBe("suspended");
  expect(model.calls.map(({ parts }) => elementOf(parts)[1])).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test("an empty list is an empty answer, and what is no list ends the run saying so", async () => {
  const { model, loop, command } = await givenLoop(() => '{"n":1}', "`payload.items`");
  const empty = await loop.enqueue(command, { items: [] });
  const wrong = await loop.enqueue(command, { items: "a,b" });
  await loop.settleDown();
  expect(model.calls).toHaveLength(0);
  expect((await loop.runs.readHead(empty.runId))?.status).toBe("suspended");
  expect(await loop.runs.readHead(wrong.runId)).toMatchObject({
    status: "failed",
    error: { code: "payload_invalid", message: expect.stringContaining("payload.items") },
  });
});

test("a later step sees the whole list, and a path into it", async () => {
  const model = scriptedModel({ judge: ["one", "two"], sum: ["done"] });
  const loop = createLoop(engine, { model });
  const text = stepWorkflow({
    command: "/sum",
    inputs: ["- **Input** `items` json — what to go through"],
    steps: [
      withOptions("**process** `judge` Judge.", ["**For each** `payload.items`"]),
      "**process** `sum` Sum up {{steps.judge}}.",
      OUTPUT,
    ],
  });
  await loop.importFiles({ "sum.md": text });
  await loop.enqueue("/sum", { items: [1, 2] });
  await loop.settleDown();
  const shown = model.calls[2]?.parts.find(({ kind }) => kind === "step");
  expect(JSON.parse(shown?.text ?? "")).toEqual(["one", "two"]);
});
