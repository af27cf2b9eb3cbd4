import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../../../lib/core/errors.ts";
import type { Doorbells } from "../../../lib/queue/doorbell.ts";
import { runTicket } from "../../../lib/runs/execute.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, PLAIN_WORKFLOW } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const throttled = (retryAfterMs: number | null) =>
  new AppError("model_throttled", "the provider answered 429", { retryAfterMs });

let briefs = 0;

/** The delays of the bells that one run rings while its model gives these answers. */
async function delaysOf(answers: (AppError | string)[]) {
  const loop = createLoop(engine, { model: scriptedModel({ draft: answers }) });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  const { runId } = await loop.enqueue("/plain", { topic: `Tea ${++briefs}` });
  await loop.pass();
  const delays: (number | undefined)[] = [];
  const doorbells: Doorbells = {
    ...loop.doorbells,
    async ringRuns(bells) {
      delays.push(...bells.map(({ delaySec }) => delaySec));
      return loop.doorbells.ringRuns(bells);
    },
  };
  for (let bell = loop.bells.shift(); bell; bell = loop.bells.shift()) {
    await runTicket({ ...loop.runner, doorbells }, bell);
  }
  return { delays, run: await loop.runs.readHead(runId) };
}

test("waits as long as a provider asks before it asks again, and then goes on", async () => {
  const { delays, run } = await delaysOf([throttled(45_000), "# Tea"]);
  expect(delays).toHaveLength(1);
  expect(delays[0]).toBeGreaterThanOrEqual(45);
  expect(run).toMatchObject({ status: "suspended", tries: 0 });
});

test("waits longer each time when a provider does not say how long", async () => {
  const { delays } = await delaysOf([throttled(null), throttled(null), throttled(null), "# Tea"]);
  expect(delays).toEqual([2, 3, 6]);
});

test("never waits so long that the run looks stuck", async () => {
  const { delays } = await delaysOf([throttled(3_600_000), "# Tea"]);
  expect(delays).toEqual([300]);
});
