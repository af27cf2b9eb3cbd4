import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../../lib/core/bytes.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, PLAIN_WORKFLOW } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

test("an output of 600 KB is stored, shown, approved and landed byte for byte, and bells stay small (O26)", async () => {
  const text = `# Long\n\n${"Zeile mit Ümlaut 🎉 und mehr.\n".repeat(19_000)}`;
  expect(Buffer.byteLength(text)).toBeGreaterThan(600_000);
  const loop = createLoop(engine, { model: scriptedModel(() => text) });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  const { runId, run, holdId, sha256: sha } = await loop.givenHeldRun("/plain", { topic: "long" });
  const record = await runRecord(loop, run);
  expect(record.steps[2]).toMatchObject({ output: text });
  expect(record.proposal?.text).toBe(text);
  await loop.decide(holdId, sha, "approve");
  expect(Buffer.byteLength(JSON.stringify(loop.rung))).toBeLessThan(2_048);
  await loop.deliver();
  const done = await loop.runs.readHead(runId);
  const landing = done?.status === "done" ? done.landing : undefined;
  const memo = await readMemo(loop, OWNER, landing?.memoId ?? "");
  expect(sha256(memo?.body ?? "")).toBe(sha256(text));
});

test("the payload reaches the model byte for byte, whatever its numbers are (F50)", async () => {
  const model = scriptedModel(() => "Done.");
  const loop = createLoop(engine, { model });
  // Without Inputs the payload is free.
  const free = PLAIN_WORKFLOW.replace(/^- \*\*Input\*\*.*\n/gm, "").replace("payload.targetMemoId", "new");
  await loop.importFiles({ "plain.md": free });
  const payloadText = '{ "topic":"exact", "n":9007199254740993,"m":1.23e40,"k":1e-7,"z":-0, "u":"\\u00e9" }';
  const { runId } = await loop.enqueueText("/plain", payloadText);
  await loop.settleDown();
  expect((await loop.runs.readHead(runId))?.status).toBe("suspended");
  expect(model.calls[0]?.parts).toEqual([{ kind: "payload", title: "payload", text: payloadText }]);
});

test("an emoji across every limit of a run stays whole (O36)", async () => {
  const party = "🎉";
  for (const length of [199, 200, 299, 300]) {
    const model = scriptedModel(() => `${"x".repeat(length)}${party.repeat(50)}`);
    const loop = createLoop(engine, { model });
    await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
    const topic = `${"a".repeat(length - 1)}${party.repeat(3)}`;
    const { run } = await loop.givenHeldRun("/plain", { topic });
    const record = await runRecord(loop, run);
    expect(JSON.stringify(record).isWellFormed()).toBe(true);
    expect(record.proposal?.title.isWellFormed()).toBe(true);
    expect(JSON.stringify(record)).not.toMatch(/\\ud[89a-f]/i);
    for (const { text } of model.calls[0]?.parts ?? []) expect(text.isWellFormed()).toBe(true);
  }
});
