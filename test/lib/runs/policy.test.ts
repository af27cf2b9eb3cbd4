import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../../lib/core/errors.ts";
import { DAY_MS, MINUTE_MS } from "../../../lib/core/duration.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import type { RunnerDeps } from "../../../lib/runs/runner-deps.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { readProposal } from "../../../lib/runs/output-step.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, type Loop } from "../../support/loop.ts";
import { heldReply, scriptedModel, type ScriptedModel } from "../../support/scripted-model.ts";
import { workflowText, type WorkflowParts } from "../../support/workflow-text.ts";

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.stop());

const JUDGE = [
  "**process** `judge` Judge it.\n   - **Returns** `json`",
  "**process** `draft` Write {{steps.judge.label}}.",
];

function givenLoop(model: ScriptedModel, ticker?: RunnerDeps["ticker"]): Loop {
  return createLoop(engine, { model, ...(ticker && { ticker }) });
}

/** One run of a workflow, as far as it goes without a person. */
async function runOf(loop: Loop, parts: WorkflowParts, payload: Record<string, unknown> = {}) {
  await loop.importFiles({ "loop.md": workflowText(parts) });
  const { runId } = await loop.enqueue("/loop", payload);
  await loop.settleDown();
  return (await loop.runs.readHead(runId))!;
}

describe("Approval auto unless", () => {
  const judged = async (judgement: string, clause: string) => {
    const loop = givenLoop(scriptedModel({ judge: [judgement], draft: ["A text."] }));
    const run = await runOf(loop, { steps: JUDGE, policy: [`**Approval** \`auto\` unless ${clause}`] });
    return run.status;
  };

  test.each([
    ['{"confidence":0.9}', "`steps.judge.confidence` below `0.7`", "done"],
    ['{"confidence":0.7}', "`steps.judge.confidence` below `0.7`", "done"],
    ['{"confidence":0.69}', "`steps.judge.confidence` below `0.7`", "suspended"],
    ['{"risk":4}', "`steps.judge.risk` above `3`", "suspended"],
    ['{"risk":3}', "`steps.judge.risk` above `3`", "done"],
    ['{"label":"drop"}', "`steps.judge.label` is `drop`", "suspended"],
    ['{"label":"keep"}', "`steps.judge.label` is `drop`", "done"],
    // Doubt is a hold: the value is missing, or is no number.
    ['{"label":"keep"}', "`steps.judge.confidence` below `0.7`", "suspended"],
    ['{"confidence":"high"}', "`steps.judge.confidence` below `0.7`", "suspended"],
    ['{"other":1}', "`steps.judge.label` is `drop`", "suspended"],
  ])("%s with %s is %s", async (judgement, clause, status) => {
    expect(await judged(judgement, clause)).toBe(status);
  });
});

describe("Status staged", () => {
  test.each(["auto", "hold"])(
    "with approval %s the run ends with what it would have written, and nothing lands",
    async (approval) => {
      const loop = givenLoop(scriptedModel({ draft: ["Staged text."] }));
      const run = await runOf(loop, {
        status: "staged",
        policy: [`**Approval** \`${approval}\``, "**Tags** `x`"],
      });
      expect(run).toMatchObject({ status: "done", staged: { stepId: "publish" } });
      expect(run.gate).toBeUndefined();
      expect(run.intent).toBeUndefined();
      const record = await runRecord(loop, run);
      expect(record).toMatchObject({
        status: "done",
        staged: true,
        landing: null,
        proposal: { text: "Staged text.", tags: { body: ["x"] }, sha256: run.staged?.sha256 },
      });
      expect(record.steps.at(-1)).toMatchObject({ kind: "output", status: "staged" });
      expect(await readMemo(loop, OWNER, record.proposal!.target.memoId)).toBeUndefined();
      expect((await loop.queue.readLane(`${OWNER}#${run.workflowId}`)).inFlight.size).toBe(0);
    },
  );
});

describe("Guards", () => {
  const NOTE = "# Kept\n\none two three four five six seven eight nine ten\n\n## Also kept\n";
  const updateOf = async (text: string, guards: string, approval = "auto") => {
    const loop = givenLoop(scriptedModel({ draft: [text] }));
    const ids = await loop.importFiles({ "note.md": NOTE });
    const run = await runOf(
      loop,
      {
        trigger: ["**Input** `memoId` memo"],
        policy: [`**Approval** \`${approval}\``, "**Target** `payload.memoId`", `**Guards** ${guards}`],
      },
      { memoId: ids["note.md"] },
    );
    const named = (run.intent ?? run.gate)!;
    const proposal = await readProposal(loop.runs, run.runId, named);
    return {
      status: run.status,
      failed: proposal!.guards.filter(({ passed }) => !passed).map(({ guard }) => guard),
    };
  };

  test.each([
    ["`max-change 60%`", NOTE.replace("one two", "1 2"), "done", []],
    ["`max-change 10%`", NOTE.replace("one two three", "1 2 3"), "suspended", ["max-change"]],
    ["`keep-headings`", NOTE.replace("## Also kept", "Also kept"), "suspended", ["keep-headings"]],
    ["`keep-headings`", `${NOTE}\n## New\n`, "done", []],
    ["`links-resolve`", `${NOTE}\nSee [[Kept]].\n`, "done", []],
    ["`links-resolve`", `${NOTE}\nSee [[Nowhere]].\n`, "suspended", ["links-resolve"]],
    // What the policy does not name is not asked for; a secret always is.
    ["`no-secrets`", "Something else.", "done", []],
    ["`keep-headings`", `${NOTE}\nAKIAABCDEFGHIJKLMNOP\n`, "suspended", ["no-secrets"]],
    [
      "`max-change 10%`, `keep-headings`, `links-resolve`",
      "[[Nowhere]]",
      "suspended",
      ["max-change", "keep-headings", "links-resolve"],
    ],
  ])("%s: an automatic update that fails one waits for a person", async (guards, text, status, failed) => {
    expect(await updateOf(text, guards)).toEqual({ status, failed });
  });

  test("with hold a failed guard is shown on it", async () => {
    expect(await updateOf("Gone.", "`keep-headings`", "hold")).toEqual({
      status: "suspended",
      failed: ["keep-headings"],
    });
  });
});

test("Visibility and Tags are those of the policy, and a template in a tag is filled", async () => {
  const loop = givenLoop(scriptedModel({ judge: ['{"label":"do"}'], draft: ["A text."] }));
  const run = await runOf(loop, {
    steps: JUDGE,
    policy: ["**Visibility** `listed`", "**Tags** `loop`, `label/{{steps.judge.label}}`"],
  });
  expect(run).toMatchObject({ status: "done" });
  const landing = "landing" in run ? run.landing : undefined;
  expect(await readMemo(loop, OWNER, landing!.memoId)).toMatchObject({
    visibility: "listed",
    tags: ["loop", "label/do"],
    memoType: "note",
  });
});

test("Concurrency 2 lets two of five run at a time", async () => {
  const loop = givenLoop(scriptedModel(() => "A text."));
  await loop.importFiles({
    "loop.md": workflowText({ trigger: ["**Input** `n` number"], policy: ["**Concurrency** `2`"] }),
  });
  for (let n = 0; n < 5; n++) await loop.enqueue("/loop", { n });
  const started: number[] = [];
  for (let round = 0; round < 5; round++) {
    started.push((await loop.pass()).started);
    await loop.deliver();
  }
  expect(started).toEqual([2, 2, 1, 0, 0]);
});

test("Hold expires: the hold is open a moment before its time, and cancelled at it", async () => {
  const loop = givenLoop(scriptedModel(() => "A text."));
  const run = await runOf(loop, { policy: ["**Approval** `hold`", "**Hold expires** `3d` then `cancel`"] });
  loop.clock.advance(3 * DAY_MS - MINUTE_MS);
  await loop.recover();
  expect((await loop.runs.readHead(run.runId))?.status).toBe("suspended");
  loop.clock.advance(MINUTE_MS);
  expect((await loop.recover()).expired).toBe(1);
  expect(await loop.runs.readHead(run.runId)).toMatchObject({
    status: "cancelled",
    gate: { decision: { verdict: "expire", by: "system" } },
  });
});

test.each([
  [0, 1, "failed"],
  [2, 3, "failed"],
  [3, 4, "done"],
])(
  "Retries %i: a model that fails three times is called %i times and the run is %s",
  async (retries, calls, status) => {
    const broken = new AppError("model_failed", "it broke", { stepId: "draft", attempts: 1 });
    const model = scriptedModel({ draft: [broken, broken, broken, "A text."] });
    const loop = givenLoop(model);
    const run = await runOf(loop, { policy: [`**Retries** \`${retries}\``] });
    expect(model.calls).toHaveLength(calls);
    expect(run.status).toBe(status);
  },
);

test("Timeout: a step that takes longer than the policy allows is aborted and fails as step_timeout", async () => {
  const held = heldReply("late");
  const waits: { everyMs: number; work: () => void }[] = [];
  const loop = givenLoop(scriptedModel({ draft: [held.reply] }), (everyMs, work) => {
    waits.push({ everyMs, work });
    return () => undefined;
  });
  await loop.importFiles({ "loop.md": workflowText({ policy: ["**Timeout** `7m`", "**Retries** `0`"] }) });
  const { runId } = await loop.enqueue("/loop", {});
  await loop.pass();
  const delivered = loop.deliver();
  await held.started;
  waits.find(({ everyMs }) => everyMs === 7 * MINUTE_MS)?.work();
  await delivered;
  expect(await loop.runs.readHead(runId)).toMatchObject({
    status: "failed",
    error: { code: "step_timeout" },
  });
});
