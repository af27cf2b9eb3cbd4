import { afterAll, beforeAll, expect, test } from "vitest";
import { readMemo } from "../../../lib/memos/read.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { AUTO_WORKFLOW, createLoop, OWNER, PLAIN_WORKFLOW, steward } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const files = { "plain.md": PLAIN_WORKFLOW, "auto.md": AUTO_WORKFLOW };

test("a brief becomes a held draft, and its approval one unlisted memo with the policy's tags", async () => {
  const model = scriptedModel({ draft: ["# Tea\n\nWater first."] });
  const loop = createLoop(engine, { model });
  await loop.importFiles(files);
  const { runId, holdId, sha256, run } = await loop.givenHeldRun("/plain", { topic: "Tea" });
  expect(run.status).toBe("suspended");

  const decided = await loop.decide(holdId, sha256, "approve");
  expect(decided.decision).toMatchObject({ verdict: "approve", by: steward.principalId });
  await loop.deliver();

  const done = await loop.runs.readHead(runId);
  expect(done).toMatchObject({ status: "done", landing: { contentVersion: 1 } });
  const landing = done?.status === "done" ? done.landing : undefined;
  const memo = await readMemo(loop, OWNER, landing?.memoId ?? "");
  expect(memo).toMatchObject({
    title: "Tea",
    body: "# Tea\n\nWater first.",
    tags: ["loop/plain"],
    visibility: "unlisted",
    memoType: "note",
    contentVersion: 1,
    runId,
  });
  expect(model.calls).toHaveLength(1);

  const item = await loop.queue.readItem(`${OWNER}#${run.workflowId}`, run.itemKey);
  expect(item?.status).toBe("done");
  const lane = await loop.queue.readLane(`${OWNER}#${run.workflowId}`);
  expect([...lane.inFlight]).toEqual([]);

  const record = await runRecord(loop, done!);
  expect(record).toMatchObject({
    status: "done",
    manifestHash: expect.stringMatching(/^sha256:/),
    manifestDrift: false,
    hold: { holdId, decision: { verdict: "approve" } },
    guards: [{ guard: "no-secrets", passed: true }],
  });
  expect(record.steps.map(({ id, status }) => [id, status])).toEqual([
    ["brief", "done"],
    ["gather", "done"],
    ["draft", "done"],
    ["publish", "landed"],
  ]);
  expect(record.tokens).toBeGreaterThan(0);
});

test("a policy of auto lands without a person and never opens a hold", async () => {
  const loop = createLoop(engine, { model: scriptedModel({ draft: ["By itself."] }) });
  await loop.importFiles(files);
  const { runId } = await loop.enqueue("/auto", { topic: "Auto" });
  await loop.settleDown();
  const run = await loop.runs.readHead(runId);
  expect(run).toMatchObject({ status: "done", holdSeq: 0, landing: { contentVersion: 1 } });
});

test("a draft with a credential in it waits for a person although the policy is auto", async () => {
  const loop = createLoop(engine, { model: scriptedModel({ draft: ["key AKIAABCDEFGHIJKLMNOP"] }) });
  await loop.importFiles(files);
  const { runId } = await loop.enqueue("/auto", { topic: "Leak" });
  await loop.settleDown();
  const run = await loop.runs.readHead(runId);
  expect(run?.status).toBe("suspended");
  const record = await runRecord(loop, run!);
  expect(record.guards).toMatchObject([{ guard: "no-secrets", passed: false }]);
});

test("an error of the model is tried again within the policy's retries, then ends the run by its code", async () => {
  const { AppError } = await import("../../../lib/core/errors.ts");
  const down = () => new AppError("model_failed", "no answer", { stepId: "draft", attempts: 1 });
  const loop = createLoop(engine, {
    model: scriptedModel({ draft: [down(), "Second try.", down(), down(), down()] }),
  });
  await loop.importFiles(files);
  const first = await loop.enqueue("/auto", { topic: "Retry" });
  await loop.settleDown();
  expect(await loop.runs.readHead(first.runId)).toMatchObject({ status: "done", hops: 1 });
  const second = await loop.enqueue("/auto", { topic: "Down" });
  await loop.settleDown();
  expect(await loop.runs.readHead(second.runId)).toMatchObject({
    status: "failed",
    error: { code: "model_failed", class: "model" },
  });
});
