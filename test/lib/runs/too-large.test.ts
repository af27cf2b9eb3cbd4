import { afterAll, beforeAll, expect, test } from "vitest";
import { requesterOf } from "../../../lib/core/principal.ts";
import { createMemoDispatcher } from "../../../lib/dispatch/memo.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { writeMemo } from "../../../lib/memos/write.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, steward } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { stepWorkflow } from "../../support/step-workflow.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const MAX = 2 * 1024 * 1024;
const by = { ownerUid: OWNER, writtenBy: requesterOf(steward), sessionId: null, runId: null };

const appending = (command: string, policy: string[]) =>
  stepWorkflow({
    command,
    inputs: ["- **Input** `targetMemoId` memo?"],
    steps: ["**process** `draft` Write.", "**output** `publish` Out.\n   - **Write** `append`"],
    policy: ["- **Target** `payload.targetMemoId`", ...policy],
  });

test.each(["hold", "auto"] as const)(
  "under %s an output that no memo can hold ends its run before anything is shown, and blocks nobody",
  async (approval) => {
    const loop = createLoop(engine, { model: scriptedModel(() => "x".repeat(300)) });
    const command = `/large-${approval}`;
    const policy = [`- **Approval** \`${approval}\``, "- **Concurrency** `1`"];
    await loop.importFiles({ [`${approval}.md`]: appending(command, policy) });
    const memoId = `memo_large${approval}` as const;
    const content = { title: "Large", body: "b".repeat(MAX) };
    await writeMemo(loop, { ...by, memoId, base: null, content, writeToken: "large" });
    const large = await loop.enqueue(command, { targetMemoId: memoId });
    const behind = await loop.enqueue(command, {});
    await loop.settleDown();
    const error = { code: "output_too_large", class: "model" };
    expect(await loop.runs.readHead(large.runId)).toMatchObject({ status: "failed", holdSeq: 0, error });
    expect((await loop.runs.readHead(behind.runId))?.status).toBe(approval === "hold" ? "suspended" : "done");
    expect((await readMemo(loop, OWNER, memoId))?.contentVersion).toBe(1);
  },
);

test("what the library refuses for what it is, is lost and not tried again for ever", async () => {
  const loop = createLoop(engine, { model: scriptedModel(() => "x") });
  const land = createMemoDispatcher(loop);
  const outcome = await land({
    ownerUid: OWNER,
    runId: "run_1",
    workflowId: "memo_w",
    sessionId: null,
    requestedBy: requesterOf(steward),
    writeToken: "run_1#publish",
    proposal: {
      stepId: "publish",
      revision: 1,
      destination: "memo",
      target: { kind: "create", memoId: "memo_never", visibility: "unlisted" },
      zone: "body",
      title: "Too large",
      text: "x".repeat(MAX + 1),
      tags: { body: [], notes: [] },
      source: null,
      sha256: "sha256:0",
      guards: [],
      size: { words: 1, added: 1, removed: 0 },
    },
  });
  expect(outcome).toMatchObject({ outcome: "lost", error: { code: "body_too_large" } });
  expect(await readMemo(loop, OWNER, "memo_never")).toBeUndefined();
});
