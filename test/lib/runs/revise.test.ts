import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasCode } from "../../../lib/core/errors.ts";
import { requesterOf } from "../../../lib/core/principal.ts";
import { createOfflineModel } from "../../../lib/model/offline-adapter.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { writeMemo } from "../../../lib/memos/write.ts";
import { stepPrefix } from "../../../lib/runs/parts.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, PLAIN_WORKFLOW, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { workflowText } from "../../support/workflow-text.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const revisable = (max: number) =>
  PLAIN_WORKFLOW.replaceAll("/plain", `/revise${max}`).replace(
    "- **Destination**",
    `- **On changes requested** \`revise\` up to \`${max}\`\n- **Destination**`,
  );

async function givenLoop(max: number, model = scriptedModel((_request, nth) => `Draft ${nth + 1}.`)) {
  const loop = createLoop(engine, { model });
  await loop.importFiles({ [`revise${max}.md`]: revisable(max) });
  return { loop, model };
}

let topic = 0;
const heldIn = (loop: Loop, max: number, payload = {}) =>
  loop.givenHeldRun(`/revise${max}`, { topic: `revise ${++topic}`, ...payload });

async function sendBack(loop: Loop, runId: string, reason: string) {
  const { holdId, sha256 } = await loop.hold(runId);
  await loop.say(holdId, { verdict: "request_changes", sha256, reason });
  await loop.deliver();
  return loop.hold(runId);
}

describe("request_changes", () => {
  test("O15: the step runs again with the reason and the rejected draft; the new hold names the old one", async () => {
    const { loop, model } = await givenLoop(3);
    const { runId, holdId } = await heldIn(loop, 3);
    const second = await sendBack(loop, runId, "# cut to 200 words");
    expect(model.calls).toHaveLength(2);
    const [first, again] = model.calls.map(({ parts }) => parts);
    // Stable first: all that the first call saw stands before what is new.
    expect(again!.slice(0, first!.length)).toEqual(first);
    expect(again!.slice(first!.length).map(({ kind, text }) => [kind, text])).toEqual([
      ["draft", "Draft 1."],
      ["revision", "# cut to 200 words"],
    ]);
    expect(second).toMatchObject({ revision: 2, revises: holdId, proposal: { text: "Draft 2." } });
    const third = await sendBack(loop, runId, "name the date");
    expect(model.calls[2]!.parts.slice(first!.length).map(({ kind, text }) => [kind, text])).toEqual([
      ["revision", "# cut to 200 words"],
      ["draft", "Draft 2."],
      ["revision", "name the date"],
    ]);
    expect(third).toMatchObject({ revision: 3, revises: second.holdId });
    expect(third.holds.map(({ holdId: id, decision }) => [id, decision?.reason])).toEqual([
      [holdId, "# cut to 200 words"],
      [second.holdId, "name the date"],
      [third.holdId, undefined],
    ]);
    await loop.decide(third.holdId, third.sha256, "approve");
    await loop.deliver();
    const run = (await loop.runs.readHead(runId))!;
    expect(run).toMatchObject({ status: "done", revision: 3, landing: { contentVersion: 1 } });
    const record = await runRecord(loop, run);
    expect(record.holds).toHaveLength(3);
    expect(record.steps.map(({ status }) => status)).toEqual(["done", "done", "done", "landed"]);
    const landing = "landing" in run ? run.landing : undefined;
    expect((await readMemo(loop, OWNER, landing!.memoId))?.body).toBe("Draft 3.");
  });

  test("O15: after the most revisions it is refused, and the hold stays open for the other verdicts", async () => {
    const { loop, model } = await givenLoop(1);
    const { runId } = await heldIn(loop, 1);
    const second = await sendBack(loop, runId, "once more");
    expect(second).toMatchObject({
      revisionsLeft: 0,
      verdicts: ["approve", "approve_edited", "reject"],
    });
    const { holdId, sha256 } = second;
    const error = await loop
      .say(holdId, { verdict: "request_changes", sha256, reason: "and again" })
      .catch((caught: unknown) => caught);
    expect(hasCode(error, "revisions_exhausted") && error.details).toEqual({
      holdId,
      max: 1,
      allowed: ["approve", "approve_edited", "reject"],
    });
    expect(await loop.hold(runId)).toMatchObject({ holdId, open: true, decision: null });
    expect(model.calls).toHaveLength(2);
    await loop.decide(holdId, sha256, "approve");
    await loop.deliver();
    expect((await loop.runs.readHead(runId))?.status).toBe("done");
  });

  test("a redraft is made on the target as it is now", async () => {
    const { loop } = await givenLoop(1);
    const memoId = "memo_redraft" as const;
    const write = { ownerUid: OWNER, memoId, writtenBy: requesterOf(steward), sessionId: null, runId: null };
    await writeMemo(loop, { ...write, base: null, content: { title: "Stub", body: "one" }, writeToken: "a" });
    const { runId } = await heldIn(loop, 1, { targetMemoId: memoId });
    await writeMemo(loop, { ...write, base: 1, content: { body: "two" }, writeToken: "b" });
    expect(await loop.hold(runId)).toMatchObject({ targetChanged: true });
    const second = await sendBack(loop, runId, "the memo has changed");
    expect(second).toMatchObject({ targetChanged: false, proposal: { target: { base: 2 } } });
    await loop.decide(second.holdId, second.sha256, "approve");
    await loop.deliver();
    expect(await readMemo(loop, OWNER, memoId)).toMatchObject({ body: "Draft 2.", contentVersion: 3 });
  });

  test("steps before the one that wrote the draft keep their output, those after it run again", async () => {
    const rows: (readonly string[] | undefined)[] = [];
    const model = scriptedModel((request, nth) => async () => {
      rows.push((await loop.runs.readHead(request.runId))?.rows);
      return `${request.stepId} ${nth + 1}`;
    });
    const loop: Loop = createLoop(engine, { model });
    const steps = ["outline", "draft", "check"].map((id, at, ids) => {
      const uses = at > 0 ? ` from {{steps.${ids[at - 1]}}}` : "";
      return `**process** \`${id}\` Do it${uses}.`;
    });
    await loop.importFiles({
      "loop.md": workflowText({ steps, policy: ["**Approval** `hold`"] }).replace(
        /(\*\*output\*\*[^\n]*)/,
        "$1\n   - **From** `draft`",
      ),
    });
    const { runId } = await loop.enqueue("/loop", {});
    await loop.settleDown();
    const second = await sendBack(loop, runId, "again");
    expect(model.calls.map(({ stepId }) => stepId)).toEqual(["outline", "draft", "check", "draft", "check"]);
    // What the revision makes anew is forgotten before it is asked for.
    expect(rows.map((named) => named?.length)).toEqual([1, 2, 3, 2, 3]);
    const kindsOf = (call: number) => model.calls[call]!.parts.map(({ kind }) => kind);
    expect(kindsOf(3)).toEqual(expect.arrayContaining(["draft", "revision"]));
    expect(kindsOf(4)).not.toContain("revision");
    expect(second.proposal?.text).toBe("draft 2");
    expect(await loop.runs.readParts(runId, stepPrefix(1, 2))).toHaveLength(0);
  });

  test("O07: an approval runs no step again", async () => {
    const { loop, model } = await givenLoop(1);
    const { runId, holdId, sha256 } = await heldIn(loop, 1);
    await loop.decide(holdId, sha256, "approve");
    await loop.deliver();
    for (let round = 0; round < 3; round++) await loop.settleDown();
    expect((await loop.runs.readHead(runId))?.status).toBe("done");
    expect(model.calls).toHaveLength(1);
  });

  test("O17: a workflow that is changed while its run is held: the pinned steps are done, and the drift is shown", async () => {
    const { loop, model } = await givenLoop(1);
    const { runId } = await heldIn(loop, 1);
    await loop.importFiles({
      "revise1.md": revisable(1)
        .replace("3. **process**", "3. **process** `first` New.\n4. **process**")
        .replace("4. **output**", "5. **output**"),
    });
    const { proposal, holdId, sha256 } = await sendBack(loop, runId, "again");
    expect(proposal?.text).toBe("Draft 2.");
    expect(model.calls.map(({ stepId }) => stepId)).toEqual(["draft", "draft"]);
    await loop.decide(holdId, sha256, "approve");
    await loop.deliver();
    const record = await runRecord(loop, (await loop.runs.readHead(runId))!);
    expect(record).toMatchObject({ status: "done", manifestDrift: true });
    expect(record.drift?.now).not.toBe(record.drift?.pinned);
  });

  test("the offline writer revises: it says so, and what it was told to leave out is gone", async () => {
    const loop = createLoop(engine, { model: createOfflineModel() });
    const workflow = revisable(1)
      .replaceAll("/revise1", "/offline")
      .replace("## Load Contract\n", "## Load Contract\n- **search** `{{payload.topic}}` top `5`\n");
    await loop.importFiles({
      "offline.md": workflow,
      "lanes.md":
        "# Lanes\n\nItems of one workflow wait in one lane. The oldest item of a lane goes first.\n",
      "bells.md": "# Bells\n\nA bell of a lane carries ids and never content. A lost bell costs a delay.\n",
    });
    const { runId } = await loop.givenHeldRun("/offline", { topic: "How do lanes and bells work?" });
    const first = await loop.hold(runId);
    expect(first.proposal?.text).toContain("[[Bells]]");
    const second = await sendBack(loop, runId, "leave out [[Bells]], and make it shorter");
    expect(second.proposal?.text).toContain("written again for the reviewer's reason");
    expect(second.proposal?.text).not.toContain("[[Bells]]");
  });
});
