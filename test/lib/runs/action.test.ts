import { afterAll, beforeAll, expect, test } from "vitest";
import type { Action, ActionGiven } from "../../../lib/core/action.ts";
import { AppError } from "../../../lib/core/errors.ts";
import type { RegisteredContext } from "../../../lib/core/registered.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { stepWorkflow, withOptions } from "../../support/step-workflow.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const NAME = "apply_session_verdicts";
const ACTING = ["**Action** `apply_session_verdicts`", "**Title** `What {{payload.topic}} came to`"];

const acting = (
  command: string,
  { options = ACTING, policy = [] as string[], each = "**For each** `payload.items` max `2`" } = {},
) =>
  stepWorkflow({
    command,
    inputs: ["- **Input** `topic` string — what about", "- **Input** `items` json? — a list"],
    steps: [
      withOptions("**process** `judge` Judge it.", each === "" ? [] : [each]),
      "**process** `other` Say more of {{steps.judge}}.",
      withOptions("**output** `publish` Act.", options),
    ],
    policy: ["- **Approval** `auto`", ...policy],
  });

/** An action that keeps what it is given, and says a text of ours. */
function givenAction(
  call: (nth: number) => Promise<{ text: string }> = async () => ({ text: "It was done." }),
) {
  const calls: { context: RegisteredContext; given: ActionGiven }[] = [];
  const action: Action = {
    name: NAME,
    async call(context, given) {
      calls.push({ context, given });
      return call(calls.length);
    },
  };
  return { calls, actions: { [NAME]: action } };
}

async function runOf(
  command: string,
  {
    text,
    actions,
    remainingMs,
  }: { text: string; actions: Record<string, Action>; remainingMs?: () => number },
) {
  const model = scriptedModel(({ stepId }, nth) => `${stepId} ${nth + 1}`);
  const loop = createLoop(engine, { model, actions, ...(remainingMs && { remainingMs }) });
  await loop.importFiles({ [`${command}.md`]: text });
  const payload = { topic: "Queues", items: ["a", { b: 1 }, "c"] };
  const { runId } = await loop.enqueue(command, payload);
  await loop.settleDown();
  const head = async () => (await loop.runs.readHead(runId))!;
  return { loop, runId, head, run: await head() };
}

test("an action is given what the judging step went through and said, and its text lands", async () => {
  const { calls, actions } = givenAction();
  const text = acting("/acts", { options: [...ACTING, "**From** `judge`"] });
  const { loop, runId, run } = await runOf("/acts", { text, actions });
  expect(calls).toHaveLength(1);
  expect(calls[0]?.given).toEqual({
    payload: { topic: "Queues", items: ["a", { b: 1 }, "c"] },
    elements: ["a", { b: 1 }, "c"],
    answers: ["judge 1", "judge 2"],
    model: "scripted",
    writtenBy: "human",
    rehearsal: false,
  });
  expect(calls[0]?.context).toMatchObject({
    ownerUid: OWNER,
    runId,
    itemPlace: "publish",
    requestedBy: { principalId: "agent:key_agent" },
  });
  const landed = run.status === "done" ? run.landing : undefined;
  expect(await readMemo(loop, OWNER, landed!.memoId as never)).toMatchObject({
    title: "What Queues came to",
    body: "It was done.",
  });
});

test("without a For each there is one answer and no element", async () => {
  const { calls, actions } = givenAction();
  const { run } = await runOf("/acts-once", { text: acting("/acts-once", { each: "" }), actions });
  expect(run.status).toBe("done");
  expect(calls[0]?.given).toMatchObject({ elements: [], answers: ["other 1"] });
});

test("an action that is not here, or that throws, fails the run and nothing lands", async () => {
  const refusing = givenAction(async () => {
    throw new AppError("session_not_found", "there is no session x", { sessionId: "x" });
  });
  const refused = await runOf("/acts-badly", { text: acting("/acts-badly"), actions: refusing.actions });
  expect(refused.run).toMatchObject({ status: "failed", error: { code: "session_not_found" } });
  const none = { [NAME]: undefined } as never;
  const absent = await runOf("/acts-nowhere", { text: acting("/acts-nowhere"), actions: none });
  expect(absent.run).toMatchObject({ status: "failed", error: { code: "tool_unavailable" } });
});

test("a store that does not answer is asked again, and what was kept is not done again", async () => {
  const { calls, actions } = givenAction(async (nth) => {
    if (nth === 1) throw new AppError("storage_unavailable", "x", { operation: "x", requestId: undefined });
    return { text: "The second time." };
  });
  const { run } = await runOf("/acts-again", { text: acting("/acts-again"), actions });
  expect(run.status).toBe("done");
  expect(calls).toHaveLength(2);
});

test("a revision after a failed guard writes what was done, and does it no second time", async () => {
  const { calls, actions } = givenAction(async () => ({ text: "See [[a memo that nobody has]]." }));
  const text = acting("/acts-held", { policy: ["- **Guards** `links-resolve`"] });
  const { loop, head, run } = await runOf("/acts-held", { text, actions });
  if (run.status !== "suspended") throw new Error(run.status);
  const { holdId, sha256 } = run.gate;
  await loop.say(holdId, { verdict: "request_changes", sha256, reason: "say it otherwise" } as never);
  await loop.deliver();
  const again = await head();
  expect(again).toMatchObject({ status: "suspended", revision: 2 });
  expect(calls).toHaveLength(1);
});

test("an action is not begun when the invocation's time is short", async () => {
  let left = 900_000;
  const { calls, actions } = givenAction();
  const text = acting("/acts-late");
  const remainingMs = () => left;
  const model = scriptedModel(({ stepId }) => {
    if (stepId === "other") left = 60_000;
    return "Said.";
  });
  const loop = createLoop(engine, { model, actions, remainingMs });
  await loop.importFiles({ "late.md": text });
  const { runId } = await loop.enqueue("/acts-late", { topic: "t", items: [] });
  await loop.pass();
  await loop.run(loop.bells.shift()!);
  expect(calls).toHaveLength(0);
  expect(loop.bells).toMatchObject([{ runId }]);
  left = 900_000;
  await loop.deliver();
  expect(calls).toHaveLength(1);
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done" });
});
