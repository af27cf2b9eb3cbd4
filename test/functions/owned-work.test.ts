import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ownedWork } from "../../functions/owned-work.ts";
import { startEngine, type Engine } from "../support/engine.ts";
import { createLoop, OWNER, PLAIN_WORKFLOW, type Loop } from "../support/loop.ts";
import { scriptedModel } from "../support/scripted-model.ts";

const SESSION = "ses_one";
const HOUR_MS = 60 * 60 * 1000;
let engine: Engine;
let loop: Loop;
let workflowIds: string[];
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());
beforeEach(async () => {
  loop = createLoop(engine, { model: scriptedModel(() => "A draft.") });
  workflowIds = Object.values(await loop.importFiles({ "plain.md": PLAIN_WORKFLOW }));
});

let topic = 0;
const enqueue = (sessionId: string | null) =>
  loop.enqueueText("/plain", JSON.stringify({ topic: `work ${++topic}` }), sessionId);
const work = (ownerUid = OWNER) =>
  ownedWork({
    ...loop,
    workflowIds: async () => workflowIds,
  })(ownerUid);

test("an item, its run, its hold and the run after the decision keep their session one after the other", async () => {
  const { runId } = await enqueue(SESSION);
  await enqueue(null);
  const started = loop.clock.now();
  expect(await work()).toEqual(new Map([[SESSION, { kind: "item", since: started }]]));
  loop.clock.advance(HOUR_MS);
  await loop.pass();
  expect(await work()).toEqual(new Map([[SESSION, { kind: "run", since: loop.clock.now() }]]));
  loop.clock.advance(HOUR_MS);
  await loop.settleDown();
  const { holdId, sha256 } = await loop.hold(runId);
  expect(await work()).toEqual(new Map([[SESSION, { kind: "hold", since: loop.clock.now() }]]));
  loop.clock.advance(30 * HOUR_MS);
  await loop.decide(holdId, sha256, "approve");
  expect(await work()).toEqual(new Map([[SESSION, { kind: "run", since: loop.clock.now() }]]));
  await loop.deliver();
  expect(await work()).toEqual(new Map());
});

test("of several works the youngest counts, and another owner's is none", async () => {
  await enqueue(SESSION);
  loop.clock.advance(HOUR_MS);
  await enqueue(SESSION);
  expect(await work()).toEqual(new Map([[SESSION, { kind: "item", since: loop.clock.now() }]]));
  expect(await work("bob")).toEqual(new Map());
});
