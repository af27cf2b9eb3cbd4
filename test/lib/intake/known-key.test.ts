import { afterAll, beforeAll, expect, test } from "vitest";
import { cancel } from "../../../lib/runs/cancel.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { agent, createLoop, PLAIN_WORKFLOW } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

test("an enqueue of a known key says what its item is, whatever its lane waits for by now", async () => {
  const loop = createLoop(engine, { model: scriptedModel(() => "A draft.") });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  const put = (key: string) => loop.enqueue("/plain", { topic: key }, { dedupeKey: key });
  const { runId } = await put("ends");
  expect(await put("ends")).toMatchObject({ reason: "duplicate_pending", status: "queued", why: null });
  await loop.pass();
  expect(await put("ends")).toMatchObject({ reason: "duplicate_claimed", status: "claimed", why: null });
  await cancel(loop, runId, agent);
  expect(await put("ends")).toMatchObject({ reason: "duplicate_failed", status: "cancelled", why: null });
  await put("waits");
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW.replace("`live`", "`paused`") });
  expect(await put("waits")).toMatchObject({ status: "waiting", why: "paused" });
  expect(await put("ends")).toMatchObject({ status: "cancelled", why: null });
});
