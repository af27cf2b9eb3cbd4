import { afterAll, beforeAll, expect, test } from "vitest";
import { requesterOf } from "../../../lib/core/principal.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { writeMemo } from "../../../lib/memos/write.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { AUTO_WORKFLOW, createLoop, OWNER, PLAIN_WORKFLOW, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

let stubs = 0;

async function givenStub(loop: Loop) {
  const memoId = `memo_stub${++stubs}` as const;
  const written = await writeMemo(loop, {
    ownerUid: OWNER,
    memoId,
    base: null,
    content: {
      title: "Stub",
      body: "to be filled in",
      tags: ["mine"],
      notes: "my notes",
      notesTags: ["private"],
    },
    writeToken: `first-${memoId}`,
    writtenBy: requesterOf(steward),
    sessionId: null,
    runId: null,
  });
  if (written.outcome !== "written") throw new Error(written.outcome);
  return written.memo;
}

async function givenLoop() {
  const loop = createLoop(engine, { model: scriptedModel(() => "The draft.") });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW, "auto.md": AUTO_WORKFLOW });
  return loop;
}

async function personEdits(loop: Loop, memoId: `memo_${string}`, base: number, body: string) {
  const writtenBy = requesterOf(steward);
  const content = { body };
  const write = { ownerUid: OWNER, memoId, base, content, writtenBy, sessionId: null, runId: null };
  return writeMemo(loop, { ...write, writeToken: `edit-${memoId}-${base}` });
}

test("an approved draft fills the stub in place and both tag zones, and leaves the notes as they were", async () => {
  const loop = await givenLoop();
  const stub = await givenStub(loop);
  const landing = { tags: { body: ["asked"], notes: ["from-loop"] } };
  const payload = { topic: "Fill", targetMemoId: stub.memoId };
  const { runId, holdId, sha256 } = await loop.givenHeldRun("/plain", payload, { landing });
  await loop.decide(holdId, sha256, "approve");
  await loop.deliver();
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done", landing: { contentVersion: 2 } });
  expect(await readMemo(loop, OWNER, stub.memoId)).toMatchObject({
    title: "Stub",
    body: "The draft.",
    tags: ["mine", "loop/plain", "asked"],
    notes: "my notes",
    notesTags: ["private", "from-loop"],
    contentVersion: 2,
    createdAt: stub.createdAt,
  });
});

test("a landing for the notes zone leaves the body as it was", async () => {
  const loop = await givenLoop();
  const stub = await givenStub(loop);
  const payload = { topic: "Notes", targetMemoId: stub.memoId };
  await loop.enqueue("/auto", payload, { landing: { targetNotes: true } });
  await loop.settleDown();
  expect(await readMemo(loop, OWNER, stub.memoId)).toMatchObject({
    body: "to be filled in",
    notes: "The draft.",
  });
});

test("O37: a person's edit while the run is held stays, and the draft waits as a conflict", async () => {
  const loop = await givenLoop();
  const stub = await givenStub(loop);
  const { runId, holdId, sha256 } = await loop.givenHeldRun("/plain", {
    topic: "Race",
    targetMemoId: stub.memoId,
  });
  await personEdits(loop, stub.memoId, 1, "a person wrote this");
  await loop.decide(holdId, sha256, "approve");
  await loop.deliver();
  expect(await readMemo(loop, OWNER, stub.memoId)).toMatchObject({
    body: "a person wrote this",
    contentVersion: 2,
  });
  expect(await loop.hold(runId)).toMatchObject({
    kind: "conflict",
    proposal: { text: "The draft.", target: { base: 1 } },
    conflict: { code: "dispatch_conflict", memoId: stub.memoId, expected: 1, actual: 2, current: 2 },
  });
});

test("a source whose hash is not what the producer saw ends dispatch_conflict, before and after the hold", async () => {
  const loop = await givenLoop();
  const stub = await givenStub(loop);
  const payload = { topic: "Moved", targetMemoId: stub.memoId };
  const wrong = { source: { contentHash: `sha256:${"0".repeat(64)}` } };
  const early = await loop.enqueue("/plain", payload, { landing: wrong, dedupeKey: "early" });
  await loop.settleDown();
  expect(await loop.runs.readHead(early.runId)).toMatchObject({
    status: "failed",
    error: { code: "source_moved", class: "dispatch_conflict" },
  });

  const other = await givenStub(loop);
  const right = {
    source: { memoId: other.memoId, contentHash: other.contentHash, notesHash: other.notesHash },
  };
  const held = await loop.givenHeldRun("/plain", payload, { landing: right, dedupeKey: "late" });
  await personEdits(loop, other.memoId, 1, "the source moves on");
  await loop.decide(held.holdId, held.sha256, "approve");
  await loop.deliver();
  expect(await loop.runs.readHead(held.runId)).toMatchObject({
    status: "failed",
    error: { code: "source_moved", class: "dispatch_conflict" },
  });
  expect((await readMemo(loop, OWNER, stub.memoId))?.contentVersion).toBe(1);
});

test("the move guard does not mistake the run's own landing for a move", async () => {
  const loop = await givenLoop();
  const stub = await givenStub(loop);
  const payload = { topic: "Own", targetMemoId: stub.memoId };
  const landing = { source: { contentHash: stub.contentHash } };
  const { runId, holdId, sha256, run } = await loop.givenHeldRun("/plain", payload, { landing });
  await loop.decide(holdId, sha256, "approve");
  const bell = loop.bells[0]!;
  await loop.deliver();
  // As if the runner had died right after the landing: the next lease must find its own version.
  const done = await loop.runs.readHead(runId);
  expect(done).toMatchObject({ status: "done" });
  expect(await loop.run({ ...bell, epoch: bell.epoch })).toBe("refused");
  expect(run.gate.sha256).toBe(sha256);
});

test("a workflow memo can be no target, and a gate memo changes only through a hold", async () => {
  const loop = await givenLoop();
  const ids = await loop.importFiles({
    "rules.md": "# Rules\n\nBe brief.",
    "gated.md": PLAIN_WORKFLOW.replaceAll("/plain", "/gated").replace(
      "## Load Contract\n",
      "## Load Contract\n- **gate** [[Rules]] — always\n",
    ),
  });
  const workflowTarget = await loop.enqueue("/auto", { topic: "evil", targetMemoId: ids["gated.md"] });
  const gateTarget = await loop.enqueue("/auto", { topic: "rules", targetMemoId: ids["rules.md"] });
  await loop.settleDown();
  expect(await loop.runs.readHead(workflowTarget.runId)).toMatchObject({
    status: "failed",
    error: { code: "target_forbidden" },
  });
  const run = await loop.runs.readHead(gateTarget.runId);
  expect(run?.status).toBe("suspended");
  expect((await runRecord(loop, run!)).guards).toContainEqual(
    expect.objectContaining({ guard: "no-gate-change", passed: false }),
  );
});

test("a target that is not there ends the run before a model is called", async () => {
  const model = scriptedModel({});
  const loop = createLoop(engine, { model });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  const { runId } = await loop.enqueue("/plain", { topic: "nowhere", targetMemoId: "memo_nowhere" });
  await loop.settleDown();
  expect(await loop.runs.readHead(runId)).toMatchObject({
    status: "failed",
    error: { code: "target_missing" },
  });
  expect(model.calls).toEqual([]);
});
