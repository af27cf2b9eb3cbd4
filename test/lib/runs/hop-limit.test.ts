import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_HOPS } from "../../../lib/runs/execute-limits.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, PLAIN_WORKFLOW } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

test("F10: a run that always asks to be continued fails as hop_limit at 64, and nothing is rung after that", async () => {
  const model = scriptedModel(() => "Never asked.");
  // Each invocation has too little time left for the step.
  const loop = createLoop(engine, { model, remainingMs: () => 1000 });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  const { runId, item } = await loop.enqueue("/plain", { topic: "hops" });
  await loop.pass();
  await loop.deliver();
  expect(MAX_HOPS).toBe(64);
  expect(loop.rung).toHaveLength(1 + MAX_HOPS);
  expect(loop.bells).toEqual([]);
  expect(await loop.runs.readHead(runId)).toMatchObject({
    status: "failed",
    hops: MAX_HOPS,
    error: { code: "hop_limit" },
  });
  expect((await loop.queue.readItem(item.lane, item.itemKey))?.status).toBe("failed");
  expect(model.calls).toEqual([]);
  loop.clock.advance(86_400_000);
  await loop.recover();
  await loop.settleDown();
  expect(loop.rung).toHaveLength(1 + MAX_HOPS);
});
