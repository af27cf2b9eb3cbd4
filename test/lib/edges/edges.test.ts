import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY_MS } from "../../../lib/core/duration.ts";
import {
  answerEdge,
  leaveEdge,
  recheckEdge,
  resolveEdge,
  settleAnswered,
  STALE_AFTER_MS,
} from "../../../lib/edges/lifecycle.ts";
import { reportEdge, type EdgePlace } from "../../../lib/edges/report.ts";
import { createEdgeStore } from "../../../lib/edges/store.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine } from "../../support/engine.ts";

let engine: Awaited<ReturnType<typeof startEngine>>;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

let owners = 0;
function given() {
  const ownerUid = `owner${owners++}`;
  const clock = testClock();
  const edges = createEdgeStore(engine.doc, engine.tables);
  let reports = 0;
  const place = (more: Partial<EdgePlace> = {}): EdgePlace => ({
    ownerUid,
    token: `t${reports++}`,
    runId: "run_1",
    stepId: "draft",
    workflowId: "memo_w",
    sessionId: null,
    ...more,
  });
  const say = (subject: string, more: Partial<EdgePlace> = {}) =>
    reportEdge({ edges, clock }, place(more), {
      kind: "missing_tool",
      subject,
      question: `What about ${subject}?`,
      quote: "q".repeat(400),
    });
  const read = async (edgeId: string) => (await edges.read(ownerUid, edgeId))!;
  return { ownerUid, clock, edges, say, read, deps: { edges, clock } };
}

describe("an edge", () => {
  test("is one, however it is worded", async () => {
    const { say, edges, ownerUid } = given();
    const first = await say("no calendar tool");
    expect(first).toMatchObject({ new: true, count: 1, state: "open" });
    await say("calendar tool missing");
    expect(await say("tool:calendar.read", { runId: "run_2" })).toEqual({
      edgeId: first.edgeId,
      new: false,
      count: 3,
      state: "open",
    });
    expect(await edges.list(ownerUid)).toMatchObject([
      { subject: "tool:calendar", count: 3, runsAffected: 2, question: "What about tool:calendar.read?" },
    ]);
  });

  test("counts a report that is made again once", async () => {
    const { say } = given();
    await say("calendar", { token: "run_1.draft" });
    expect(await say("calendar", { token: "run_1.draft" })).toMatchObject({ new: false, count: 1 });
  });

  test("takes a thousand reports in one row and shows the newest five, cut to 300 code points", async () => {
    const { say, edges, ownerUid, read } = given();
    const { edgeId } = await say("calendar");
    const more = Array.from({ length: 99 }, (_, nth) => nth);
    for (let round = 0; round < 10; round++) {
      await Promise.all(more.map((nth) => say("calendar", { runId: `run_${round}_${nth}` })));
    }
    expect(await read(edgeId)).toMatchObject({ count: 991, runsAffected: 991 });
    const evidence = await edges.evidence(ownerUid, edgeId);
    expect(evidence).toHaveLength(5);
    expect(evidence[0]?.quote.length).toBeLessThanOrEqual(301);
    expect(await edges.list(ownerUid)).toHaveLength(1);
  });

  test("opens again when it is met after it was resolved, and not when it is left as it is", async () => {
    const { say, deps, ownerUid, read } = given();
    const { edgeId } = await say("calendar");
    await resolveEdge(deps, { ownerUid, edgeId, by: "ana" });
    expect(await say("calendar")).toMatchObject({ state: "open" });
    expect(await read(edgeId)).toMatchObject({ reopenCount: 1, resolution: null });
    await leaveEdge(deps, { ownerUid, edgeId, by: "ana" });
    expect(await say("calendar")).toMatchObject({ state: "wont_fix", count: 3 });
    await expect(answerEdge(deps, { ownerUid, edgeId, by: "ana" }, { text: "…" })).rejects.toMatchObject({
      code: "edge_settled",
    });
  });

  test("is resolved by a run that was given the answer and did not meet it again", async () => {
    const { say, deps, clock, ownerUid, read } = given();
    const { edgeId } = await say("calendar");
    clock.advance(1000);
    await answerEdge(deps, { ownerUid, edgeId, by: "ana" }, { text: "Ask Ben." });
    const before = { runId: "run_0", startedAt: clock.now() - 500 };
    expect(await settleAnswered(deps, await read(edgeId), before)).toBe(false);
    clock.advance(1000);
    const meets = { runId: "run_a", startedAt: clock.now() };
    clock.advance(10);
    await say("calendar", { runId: "run_a" });
    expect(await settleAnswered(deps, await read(edgeId), meets)).toBe(false);
    expect(await read(edgeId)).toMatchObject({ state: "answered", count: 2 });
    clock.advance(1000);
    expect(await settleAnswered(deps, await read(edgeId), { runId: "run_b", startedAt: clock.now() })).toBe(
      true,
    );
    expect(await read(edgeId)).toMatchObject({ state: "resolved", resolution: { runId: "run_b", by: null } });
  });

  test("is resolved by a check that names itself, and stale after sixty days", async () => {
    const { say, deps, clock, read } = given();
    const { edgeId } = await say("calendar");
    const { edgeId: other } = await say("weather");
    expect(await recheckEdge(deps, await read(edgeId), async () => null)).toBe(false);
    expect(await recheckEdge(deps, await read(edgeId), async () => "tool registered")).toBe(true);
    expect(await read(edgeId)).toMatchObject({ state: "resolved", resolution: { check: "tool registered" } });
    clock.advance(STALE_AFTER_MS - DAY_MS);
    expect(await recheckEdge(deps, await read(other), async () => null)).toBe(false);
    clock.advance(DAY_MS);
    expect(await recheckEdge(deps, await read(other), async () => null)).toBe(true);
    expect(await read(other)).toMatchObject({ state: "stale" });
    expect(await say("weather")).toMatchObject({ state: "open" });
  });

  test("of another owner is unknown", async () => {
    const { say, deps } = given();
    const { edgeId } = await say("calendar");
    await expect(resolveEdge(deps, { ownerUid: "somebody", edgeId, by: "eve" })).rejects.toMatchObject({
      code: "edge_not_found",
    });
  });

  test("that somebody else has moved meanwhile is not moved over it", async () => {
    const { say, deps, edges, ownerUid, read } = given();
    const { edgeId } = await say("calendar");
    const read1 = await read(edgeId);
    await say("calendar");
    expect(await edges.move(read1, { state: "resolved" })).toBeUndefined();
    await resolveEdge(deps, { ownerUid, edgeId, by: "ana" });
    expect(await read(edgeId)).toMatchObject({ state: "resolved" });
  });
});
