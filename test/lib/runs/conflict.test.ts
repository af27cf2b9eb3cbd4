import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasCode } from "../../../lib/core/errors.ts";
import { requesterOf } from "../../../lib/core/principal.ts";
import { memoHistory, readMemo } from "../../../lib/memos/read.ts";
import { deleteMemo, writeMemo } from "../../../lib/memos/write.ts";
import type { Memo, MemoContent } from "../../../lib/memos/memo.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { AUTO_WORKFLOW, createLoop, OWNER, PLAIN_WORKFLOW, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel, type ScriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
let loop: Loop;
let model: ScriptedModel;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const BODY = "# Plan\n\none\ntwo\nthree\nfour\nfive\n";
const DRAFT = BODY.replace("one", "ONE by the draft");

beforeEach(async () => {
  model = scriptedModel(() => DRAFT);
  loop = createLoop(engine, { model });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW, "auto.md": AUTO_WORKFLOW });
});

let made = 0;
const by = { ownerUid: OWNER, writtenBy: requesterOf(steward), sessionId: null, runId: null };

async function givenMemo(): Promise<Memo> {
  const memoId = `memo_conflict${++made}` as const;
  const content = { title: "Plan", body: BODY, tags: ["mine"], notes: "notes" };
  const written = await writeMemo(loop, { ...by, memoId, base: null, content, writeToken: memoId });
  if (written.outcome !== "written") throw new Error(written.outcome);
  return written.memo;
}

async function personWrites(memoId: Memo["memoId"], base: number, content: Partial<MemoContent>) {
  const written = await writeMemo(loop, { ...by, memoId, base, content, writeToken: `p${memoId}${base}` });
  if (written.outcome !== "written") throw new Error(written.outcome);
}

/** A run that was approved and then lost to a person's edit. */
async function givenConflict(content: Partial<MemoContent>) {
  const memo = await givenMemo();
  const { memoId } = memo;
  const payload = { topic: "conflict", targetMemoId: memoId };
  const held = await loop.givenHeldRun("/plain", payload);
  await personWrites(memoId, 1, content);
  await loop.decide(held.holdId, held.sha256, "approve");
  await loop.deliver();
  const hold = await loop.hold(held.runId);
  return { memoId, runId: held.runId, first: held.holdId, hold };
}

const THEIRS = BODY.replace("five", "FIVE by a person");
const CLASH = BODY.replace("one", "ONE by a person");

describe("O37: a landing that loses to a person's edit", () => {
  test("opens a conflict hold with all sides, overwrites nothing, and frees the slot", async () => {
    const { memoId, runId, first, hold } = await givenConflict({ body: THEIRS });
    expect(hold).toMatchObject({
      kind: "conflict",
      open: true,
      verdicts: ["rebase", "replace", "keep_both", "reject"],
      proposal: { text: DRAFT },
      conflict: {
        code: "dispatch_conflict",
        memoId,
        expected: 1,
        actual: 2,
        current: 2,
        base: { contentVersion: 1, text: BODY },
        theirs: { contentVersion: 2, text: THEIRS },
        merged: { conflicts: 0, text: THEIRS.replace("one", "ONE by the draft") },
      },
    });
    expect(hold.holds.map(({ holdId, kind, decision }) => [holdId, kind, decision?.verdict])).toEqual([
      [first, "output", "approve"],
      [hold.holdId, "conflict", undefined],
    ]);
    expect((await readMemo(loop, OWNER, memoId))?.body).toBe(THEIRS);
    const run = await loop.runs.readHead(runId);
    expect(run?.intent).toBeUndefined();
    expect((await loop.queue.readLane(`${OWNER}#${run!.workflowId}`)).inFlight.size).toBe(0);
  });

  test("of an automatic run opens one as well", async () => {
    const memo = await givenMemo();
    const { runId } = await loop.enqueue("/auto", { topic: "auto", targetMemoId: memo.memoId });
    const edit = () => personWrites(memo.memoId, 1, { body: THEIRS });
    const land = loop.runner.dispatchers.memo!;
    loop.runner.dispatchers.memo = async (landing) => {
      await edit();
      loop.runner.dispatchers.memo = land;
      return land(landing);
    };
    await loop.settleDown();
    const { holdId, sha256, conflict } = await loop.hold(runId);
    expect(conflict).toMatchObject({ expected: 1, actual: 2 });
    await loop.say(holdId, { verdict: "rebase", sha256, onVersion: 2 });
    await loop.deliver();
    expect(await readMemo(loop, OWNER, memo.memoId)).toMatchObject({ contentVersion: 3, runId });
  });

  test("two landings on one version: one wins, the other waits", async () => {
    const memo = await givenMemo();
    const payload = (topic: string) => ({ topic, targetMemoId: memo.memoId });
    const one = await loop.givenHeldRun("/plain", payload("one"));
    const two = await loop.givenHeldRun("/plain", payload("two"));
    await Promise.all([one, two].map(({ holdId, sha256 }) => loop.decide(holdId, sha256, "approve")));
    await Promise.all(loop.bells.splice(0).map((bell) => loop.run(bell)));
    const ends = await Promise.all(
      [one, two].map(async ({ runId }) => (await loop.runs.readHead(runId))!.status),
    );
    expect(ends.toSorted()).toEqual(["done", "suspended"]);
    expect(await memoHistory(loop, OWNER, memo.memoId)).toHaveLength(2);
  });
});

describe("rebase", () => {
  test("lands the clean merge on the version that was read, and keeps a person's tags", async () => {
    const { memoId, runId, hold } = await givenConflict({ body: THEIRS, tags: ["mine", "later"] });
    const { holdId, sha256 } = hold;
    const { decision, guards } = await loop.say(holdId, { verdict: "rebase", sha256, onVersion: 2 });
    expect(decision.lands).not.toBe(sha256);
    expect(guards).toContainEqual(expect.objectContaining({ guard: "no-secrets", passed: true }));
    await loop.deliver();
    expect(await readMemo(loop, OWNER, memoId)).toMatchObject({
      contentVersion: 3,
      body: THEIRS.replace("one", "ONE by the draft"),
      tags: ["mine", "later", "loop/plain"],
      notes: "notes",
      runId,
    });
    expect(model.calls).toHaveLength(1);
  });

  test("with lines that both changed asks for a text, and takes it only without marks", async () => {
    const { memoId, hold } = await givenConflict({ body: CLASH });
    const { holdId, sha256 } = hold;
    const rebase = (text?: string) =>
      loop.say(holdId, { verdict: "rebase", sha256, onVersion: 2, ...(text !== undefined && { text }) });
    const error = await rebase().catch((caught: unknown) => caught);
    if (!hasCode(error, "merge_conflicts")) throw error;
    expect(error.details).toMatchObject({ conflicts: 1, onVersion: 2, merged: hold.conflict?.merged?.text });
    await expect(rebase(error.details.merged)).rejects.toMatchObject({ code: "invalid_request" });
    const text = BODY.replace("one", "ONE by both");
    await rebase(text);
    await loop.deliver();
    expect(await readMemo(loop, OWNER, memoId)).toMatchObject({ contentVersion: 3, body: text });
  });

  test.each(["rebase", "replace"] as const)(
    "%s on another version than the current one is refused with it",
    async (verdict) => {
      const { memoId, runId, hold } = await givenConflict({ body: THEIRS });
      await personWrites(memoId, 2, { body: `${THEIRS}more\n` });
      const { holdId, sha256 } = hold;
      const error = await loop
        .say(holdId, { verdict, sha256, onVersion: 2 })
        .catch((caught: unknown) => caught);
      expect(hasCode(error, "stale_target") && error.details).toEqual({
        holdId,
        memoId,
        shown: 2,
        current: 3,
      });
      expect((await loop.hold(runId)).decision).toBeNull();
      await loop.say(holdId, { verdict, sha256, onVersion: 3 });
      await loop.deliver();
      expect((await readMemo(loop, OWNER, memoId))?.contentVersion).toBe(4);
    },
  );

  test("that loses again opens another conflict on what is there then", async () => {
    const { memoId, runId, hold } = await givenConflict({ body: THEIRS });
    await loop.say(hold.holdId, { verdict: "rebase", sha256: hold.sha256, onVersion: 2 });
    await personWrites(memoId, 2, { body: THEIRS.replace("three", "THREE") });
    await loop.deliver();
    const again = await loop.hold(runId);
    expect(again.holdId).not.toBe(hold.holdId);
    expect(again.conflict).toMatchObject({ expected: 2, actual: 3, base: { contentVersion: 2 } });
    await loop.say(again.holdId, { verdict: "rebase", sha256: again.sha256, onVersion: 3 });
    await loop.deliver();
    expect(await readMemo(loop, OWNER, memoId)).toMatchObject({
      contentVersion: 4,
      body: THEIRS.replace("three", "THREE").replace("one", "ONE by the draft"),
    });
    expect(await memoHistory(loop, OWNER, memoId)).toHaveLength(4);
  });
});

test("replace lands the whole draft in place of what is there, and keeps a person's tags", async () => {
  const { memoId, hold } = await givenConflict({ body: CLASH, tags: ["mine", "later"] });
  await loop.say(hold.holdId, { verdict: "replace", sha256: hold.sha256, onVersion: 2 });
  await loop.deliver();
  expect(await readMemo(loop, OWNER, memoId)).toMatchObject({
    contentVersion: 3,
    body: DRAFT,
    tags: ["mine", "later", "loop/plain"],
  });
});

test("keep_both leaves the memo as it is and makes one of its own with the draft, told apart by its title", async () => {
  const { memoId, runId, hold } = await givenConflict({ body: CLASH });
  await loop.say(hold.holdId, { verdict: "keep_both", sha256: hold.sha256 });
  await loop.deliver();
  expect(await readMemo(loop, OWNER, memoId)).toMatchObject({ contentVersion: 2, body: CLASH });
  const run = await loop.runs.readHead(runId);
  const landing = run?.status === "done" ? run.landing : undefined;
  expect(landing?.memoId).not.toBe(memoId);
  expect(await readMemo(loop, OWNER, landing!.memoId)).toMatchObject({
    title: "Plan (draft beside version 2)",
    body: DRAFT,
    visibility: "unlisted",
    memoType: "note",
    contentVersion: 1,
  });
});

test("reject ends the run and writes nothing", async () => {
  const { memoId, runId, hold } = await givenConflict({ body: CLASH });
  await loop.decide(hold.holdId, hold.sha256, "reject");
  await loop.deliver();
  expect((await loop.runs.readHead(runId))?.status).toBe("cancelled");
  expect((await readMemo(loop, OWNER, memoId))?.contentVersion).toBe(2);
});

describe("a target that cannot take the draft any more", () => {
  const refused = async ({ hold }: Awaited<ReturnType<typeof givenConflict>>) => {
    const { holdId, sha256 } = hold;
    const error = await loop
      .say(holdId, { verdict: "replace", sha256, onVersion: 2 })
      .catch((e: unknown) => e);
    expect(hasCode(error, "verdict_not_allowed") && error.details.allowed).toEqual(["keep_both", "reject"]);
  };

  test("since it was deleted: only keep_both and reject are taken, and said so", async () => {
    const memo = await givenMemo();
    const held = await loop.givenHeldRun("/plain", { topic: "gone", targetMemoId: memo.memoId });
    await deleteMemo(loop, { ownerUid: OWNER, memoId: memo.memoId, base: 1, writeToken: "gone" });
    await loop.decide(held.holdId, held.sha256, "approve");
    await loop.deliver();
    const hold = await loop.hold(held.runId);
    expect(hold).toMatchObject({
      verdicts: ["keep_both", "reject"],
      conflict: {
        code: "target_missing",
        expected: 1,
        actual: null,
        theirs: null,
        why: "the memo was deleted",
      },
    });
    await refused({ memoId: memo.memoId, runId: held.runId, first: held.holdId, hold });
    await loop.say(hold.holdId, { verdict: "keep_both", sha256: hold.sha256 });
    await loop.deliver();
    const run = await loop.runs.readHead(held.runId);
    const landing = run?.status === "done" ? run.landing : undefined;
    expect((await readMemo(loop, OWNER, landing!.memoId))?.title).toBe("Plan (draft for a deleted memo)");
  });

  test("since it became a workflow", async () => {
    const conflict = await givenConflict({ memoType: "workflow" });
    expect(conflict.hold).toMatchObject({
      verdicts: ["keep_both", "reject"],
      conflict: { why: "the memo is a workflow now" },
    });
    await refused(conflict);
  });
});
