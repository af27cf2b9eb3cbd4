import { afterAll, beforeAll, expect, test } from "vitest";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, PLAIN_WORKFLOW } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const HASH = `sha256:${"0".repeat(64)}`;
const NEW = PLAIN_WORKFLOW.replaceAll("Plain", "New")
  .replaceAll("/plain", "/new")
  .replace("`payload.targetMemoId`", "`new`");

async function givenLoop() {
  const loop = createLoop(engine, { model: scriptedModel({ draft: ["The draft."] }) });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW, "new.md": NEW });
  return loop;
}

test.each([
  ["/plain", { contentHash: HASH }],
  ["/plain", { notesHash: HASH }],
  ["/new", { contentHash: HASH }],
])("%s: the hash of a memo that is yet to be made is refused, and nothing waits", async (command, source) => {
  const loop = await givenLoop();
  const payload = { topic: `${command} ${Object.keys(source).join()}` };
  await expect(loop.enqueue(command, payload, { landing: { source } })).rejects.toMatchObject({
    code: "invalid_request",
    details: { failing: [{ pointer: "/landing/source" }] },
  });
  expect((await loop.enqueue(command, payload)).enqueued).toBe(true);
});

test("the hash of a memo that is named, as the source or as what is to be changed, is taken", async () => {
  const loop = await givenLoop();
  const named = { landing: { source: { memoId: "memo_x", contentHash: HASH } } };
  const target = { topic: "x", targetMemoId: "memo_x" };
  const ofTarget = { landing: { source: { contentHash: HASH } } };
  expect((await loop.enqueue("/new", { topic: "x" }, named)).enqueued).toBe(true);
  expect((await loop.enqueue("/plain", target, ofTarget)).enqueued).toBe(true);
});
