import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../../lib/core/errors.ts";
import type { Registered, RegisteredContext } from "../../../lib/core/registered.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { cancel } from "../../../lib/runs/cancel.ts";
import { fork } from "../../../lib/runs/fork.ts";
import { rerun, rerunView, type EndedRun } from "../../../lib/runs/rerun.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { doneRun, ECHO, givenFile, stepText, type Parts } from "../../support/file-loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { FILE_ID, toolOf } from "../../support/workflow-file.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

describe("steps one after another", () => {
  const PARTS: Parts = {
    more: `inputs:
  days: { type: number, default: 30 }
result: { report: $steps.report, days: $input.days }
metadata: { memo: { from: report, title: "On {{run.date}}", tags: [reports] } }`,
    steps: `  - { id: a, kind: tool, tool: echo, input: { days: $input.days, none: $input.days.x, money: $$5, list: [1, $input.days] } }
  - { id: b, kind: transform, transform: sum, input: { a: $steps.a, at: $steps.a.list.1 } }
  - { id: report, kind: transform, transform: report, input: $steps.b }`,
  };
  const TRANSFORMS: Registered["transforms"] = {
    sum: (input, { nowMs }) => ({ ...(input as object), nowMs }),
    report: (input) => `# Report\n\n${JSON.stringify(input)}`,
  };

  test("each is recorded before the next, a text as it is and all else as JSON, and the report lands", async () => {
    const contexts: RegisteredContext[] = [];
    const echo = toolOf("echo", async (context, input) => {
      contexts.push(context);
      return { value: input };
    });
    const { loop, ownerUid, by } = givenFile(engine, PARTS, { tools: { echo }, transforms: TRANSFORMS });
    const run = (await doneRun(loop, by, { days: 3 })) as EndedRun;
    expect(run).toMatchObject({ status: "done", rows: ["", "R1E1", "R1E1", "R1E1"] });
    expect(JSON.parse((await stepText(loop, run.runId, 1))!)).toEqual({ days: 3, money: "$5", list: [1, 3] });
    const at = loop.clock.now();
    expect(JSON.parse((await stepText(loop, run.runId, 2))!)).toMatchObject({ at: 3, nowMs: at });
    expect(await stepText(loop, run.runId, 3)).toMatch(/^# Report\n/);
    expect(contexts).toMatchObject([
      { ownerUid, runId: run.runId, itemPlace: "a", runStartedAt: at, requestedBy: { kind: "agent" } },
    ]);
    const memo = await readMemo(loop, ownerUid, run.landing!.memoId);
    expect(memo).toMatchObject({ title: expect.stringMatching(/^On 2026/), tags: ["reports"] });
    expect(memo?.body).toBe(await stepText(loop, run.runId, 3));
    const record = await runRecord(loop, run);
    expect(record.manifestDrift).toBe(false);
    expect(
      record.steps.map((step) => [step.id, step.kind, step.status, "name" in step ? step.name : null]),
    ).toEqual([
      ["input", "trigger", "done", null],
      ["a", "tool", "done", "echo"],
      ["b", "transform", "done", "sum"],
      ["report", "transform", "done", "report"],
      ["memo", "output", "landed", null],
    ]);
  });

  test("a missing input is missing: the default is the workflow's own affair", async () => {
    const { loop, by } = givenFile(engine, PARTS, { tools: ECHO, transforms: TRANSFORMS });
    const run = await doneRun(loop, by);
    expect(JSON.parse((await stepText(loop, run.runId, 1))!)).toEqual({ money: "$5", list: [1, null] });
  });

  test("a file that lands nothing ends with its last step, and its item and slot with it", async () => {
    const parts = { steps: PARTS.steps, more: "inputs: { days: { type: number } }" };
    const { loop, by } = givenFile(engine, parts, { tools: ECHO, transforms: TRANSFORMS });
    const run = await doneRun(loop, by);
    expect(run).toMatchObject({ status: "done", step: 4 });
    expect((await loop.queue.readLane(`${by.ownerUid}#${FILE_ID}`)).inFlight.size).toBe(0);
  });

  test.each([
    [
      "a tool",
      {
        tools: {
          echo: toolOf("echo", async () =>
            Promise.reject(new AppError("memo_not_found", "gone", { memoId: "m" })),
          ),
        },
      },
      "memo_not_found",
      "gone",
    ],
    [
      "a transform",
      { tools: ECHO, transforms: { ...TRANSFORMS, sum: () => JSON.parse("{") as unknown } },
      "transform_failed",
      "step b: ",
    ],
    [
      "a tool that is a bug",
      { tools: { echo: toolOf("echo", async () => Promise.reject(new TypeError("secret"))) } },
      "internal",
      "Something broke here",
    ],
  ])("%s that throws ends the run with what it said", async (_what, registered, code, message) => {
    const { loop, by } = givenFile(engine, PARTS, { transforms: TRANSFORMS, ...registered });
    expect(await doneRun(loop, by)).toMatchObject({
      status: "failed",
      error: { code, message: expect.stringContaining(message) },
    });
  });

  test("a cancelled run calls no tool any more; a rerun begins anew; a fork keeps what was before it", async () => {
    const calls: string[] = [];
    let hold: (() => Promise<unknown>) | undefined;
    const echo = toolOf("echo", async ({ runId }, input) => {
      calls.push(runId);
      await hold?.();
      return { value: input };
    });
    const { loop, by, person } = givenFile(engine, PARTS, { tools: { echo }, transforms: TRANSFORMS });
    const { runId } = await loop.enqueue("/a-file", { days: 1 }, {}, by);
    hold = () => cancel(loop, runId, person, null);
    await loop.settleDown();
    hold = undefined;
    expect(await loop.runs.readHead(runId)).toMatchObject({ status: "cancelled" });
    expect(await stepText(loop, runId, 1)).toBeDefined();
    const asking = { principal: person, sessionId: null };
    const { runId: again } = rerunView(await rerun(loop, runId, asking));
    await loop.settleDown();
    expect(await loop.runs.readHead(again)).toMatchObject({ status: "done" });
    expect(calls).toEqual([runId, again]);
    const { runId: forked } = rerunView(await fork(loop, again, "report", asking));
    await loop.settleDown();
    expect(await loop.runs.readHead(forked)).toMatchObject({
      status: "done",
      rows: ["", "R1E0", "R1E0", "R1E1"],
    });
    expect(calls).toHaveLength(2);
  });
});

describe("what people alone may switch on", () => {
  const PARTS: Parts = {
    more: "inputs: { apply: { type: boolean } }",
    steps: "  - { id: a, kind: tool, tool: echo, input: $input }",
  };

  test("is refused to an agent and a chat, and taken of a person and a schedule", async () => {
    const { loop, by, person } = givenFile(engine, PARTS, { tools: ECHO });
    const as = (kind: "agent" | "chat" | "loop" | "schedule") => ({ ...by, kind });
    for (const kind of ["agent", "chat", "loop"] as const) {
      await expect(loop.enqueue("/a-file", { apply: true }, {}, as(kind))).rejects.toMatchObject({
        code: "people_only",
        details: { kind },
      });
    }
    await loop.enqueue("/a-file", { apply: false }, {}, by);
    await loop.enqueue("/a-file", { apply: true }, { dedupeKey: "p" }, person);
    await loop.enqueue("/a-file", { apply: true }, { dedupeKey: "s" }, as("schedule"));
  });

  test("is not had by running a person's work again either", async () => {
    const { loop, by, person } = givenFile(engine, PARTS, { tools: ECHO });
    const run = await doneRun(loop, person, { apply: true });
    expect(run.status).toBe("done");
    const { runId: again } = rerunView(await rerun(loop, run.runId, { principal: by, sessionId: null }));
    await loop.settleDown();
    expect(again).not.toBe(run.runId);
    expect(await loop.runs.readHead(again)).toMatchObject({
      status: "failed",
      error: { code: "people_only" },
    });
  });
});

test("a step that is an agent gives its text and its model", async () => {
  const model = scriptedModel({ say: ["Hello."] });
  const { loop, by } = givenFile(
    engine,
    {
      more: "metadata: { budget: { run: { tokens: 1000 } } }",
      steps:
        "  - { id: say, kind: agent, prompt: Greet., input: { to: you }, model: small, maxOutputTokens: 20 }",
    },
    {},
    { model },
  );
  const run = await doneRun(loop, by);
  expect(run.status).toBe("done");
  expect(JSON.parse((await stepText(loop, run.runId, 1))!)).toEqual({ text: "Hello.", model: "scripted" });
  expect(model.calls[0]).toMatchObject({ model: "small", maxOutputTokens: 20, instructions: "Greet." });
});
