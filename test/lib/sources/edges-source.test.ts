import { afterAll, beforeAll, expect, test } from "vitest";
import { answerEdge } from "../../../lib/edges/lifecycle.ts";
import { reportEdge } from "../../../lib/edges/report.ts";
import { createEdgeStore } from "../../../lib/edges/store.ts";
import { createEdgesSource } from "../../../lib/sources/edges-source.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine, type Engine } from "../../support/engine.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const context = { ownerUid: "owner", sessionId: null, runId: "run_x", at: 0 };

test("edges are lines, the most met first, with what people answered", async () => {
  const clock = testClock();
  const edges = createEdgeStore(engine.doc, engine.tables);
  const source = createEdgesSource({ edges });
  expect(await source.read(context, "open")).toEqual([]);
  const place = { ownerUid: "owner", runId: null, stepId: null, workflowId: null, sessionId: null };
  const say = (subject: string, token: string) =>
    reportEdge(
      { edges, clock },
      { ...place, token },
      { kind: "missing_tool", subject, question: `Where is\n- ${subject}?` },
    );
  await say("weather", "1");
  const { edgeId } = await say("calendar", "2");
  await say("calendar", "3");
  await answerEdge({ edges, clock }, { ownerUid: "owner", edgeId, by: "ana" }, { text: "Ask Ben." });
  const [open] = await source.read(context, "open");
  expect(open?.text.split("\n").map((line) => line.split(" · ").slice(0, 2))).toEqual([
    ["- tool:calendar", "Where is - calendar?"],
    ["- tool:weather", "Where is - weather?"],
  ]);
  expect(open?.text).toContain("answer: Ask Ben.");
  expect((await source.read(context, "answered"))[0]?.text.split("\n")).toHaveLength(1);
  expect(await source.read({ ...context, ownerUid: "other" }, "open")).toEqual([]);
  await expect(source.read(context, "lost")).rejects.toMatchObject({ code: "source_unavailable" });
  await expect(source.read(context, "toString")).rejects.toMatchObject({ code: "source_unavailable" });
});
