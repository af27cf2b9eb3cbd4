import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scheduleState, switchSchedule } from "../../../lib/loops/switch.ts";
import { createSession } from "../../../lib/sessions/create.ts";
import { HeartbeatReport } from "../../../lib/sessions/heartbeat.ts";
import { reportHeartbeat } from "../../../lib/sessions/report-heartbeat.ts";
import type { SessionId } from "../../../lib/sessions/session.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { countingIds } from "../../support/ids.ts";
import { agent } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { createStewardLoop } from "../../support/steward-loop.ts";

const HOUR_MS = 60 * 60_000;

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.stop());

type Candidate = { sessionId: string };
const candidateIn = (text: string): Candidate => (JSON.parse(text) as { candidate: Candidate }).candidate;
const done = (sessionId: string) =>
  JSON.stringify({ sessionId, verdict: "done", confidence: 0.95, reason: "it said so" });

/** A house with sessions that a judge may end, idle for an hour. */
async function given({ sessions: count = 1, onJudge = async (_sessionId: SessionId) => {} } = {}) {
  const model = scriptedModel(() => async (request) => {
    const { sessionId } = candidateIn(request.parts[0]!.text);
    await onJudge(sessionId as SessionId);
    return done(sessionId);
  });
  const house = createStewardLoop(engine, { model });
  const deps = { sessions: house.sessions, clock: house.clock, ids: countingIds() };
  const tell = (sessionId: SessionId, report: object) =>
    reportHeartbeat(deps, { principal: agent, sessionId, report: HeartbeatReport.parse(report) });
  const opened: SessionId[] = [];
  for (let nth = 0; nth < count; nth++) {
    const input = { principal: agent, name: `nightly ${nth}`, purpose: "p", origin: "cron:nightly" };
    const { sessionId } = await createSession(deps, input);
    await tell(sessionId, { tokensIn: 5, tokensOut: 5, turns: [{ role: "assistant", text: "Finished." }] });
    opened.push(sessionId);
  }
  house.clock.advance(HOUR_MS);
  const judged = () => model.calls.filter(({ stepId }) => stepId === "reply").length;
  return {
    ...house,
    opened,
    tell,
    judged,
    session: async (id: SessionId) => (await house.sessions.readSessions([id]))[0]!,
  };
}

const tableOf = async (name: string) => {
  const { Items = [] } = await engine.doc.send(new ScanCommand({ TableName: name, ConsistentRead: true }));
  return Items.map((item) => JSON.stringify(item)).toSorted();
};

describe("a pass of the session steward", () => {
  test("ends what it is sure of, and lands its report", async () => {
    const { pass, opened, session, loop } = await given();
    const { rows, report, runId } = await pass({ apply: true });
    expect(rows).toMatchObject([
      { sessionId: opened[0], verdict: "done", saidBy: "agent", outcome: "closed" },
    ]);
    expect(await session(opened[0]!)).toMatchObject({
      status: "ended",
      verdict: { verdict: "done", note: "it said so", endedReason: "steward-completed" },
    });
    expect(report).toContain("closed");
    expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done", landing: { contentVersion: 1 } });
  });

  test("changes no row of any session as a dry run, and says what it would do", async () => {
    const { pass } = await given({ sessions: 4 });
    const before = await tableOf(engine.tables.sessions);
    expect(before.length).toBeGreaterThan(4);
    const { rows, report } = await pass({});
    expect(rows.map(({ decision, outcome }) => ({ action: decision?.action, outcome }))).toEqual(
      rows.map(() => ({ action: "close", outcome: null })),
    );
    expect(report).toContain("Dry run");
    expect(await tableOf(engine.tables.sessions)).toEqual(before);
  });

  test("asks the judge again in earnest, however sure dry runs were", async () => {
    const { pass, judged, opened, clock } = await given();
    for (let time = 0; time < 3; time++) {
      await pass({});
      clock.advance(HOUR_MS);
    }
    // The third was answered by the memory of the dry runs.
    expect(judged()).toBe(2);
    const { rows } = await pass({ apply: true });
    expect(judged()).toBe(3);
    expect(rows).toMatchObject([{ sessionId: opened[0], saidBy: "agent", outcome: "closed" }]);
  });

  test("leaves alone a session that became busy between the judge and the act", async () => {
    let wake = async (_sessionId: SessionId) => {};
    const house = await given({ sessions: 2, onJudge: (sessionId) => wake(sessionId) });
    const [busy, idle] = house.opened as [SessionId, SessionId];
    wake = async (sessionId) => {
      if (sessionId === busy) await house.tell(busy, { busy: true });
    };
    const { rows } = await house.pass({ apply: true });
    expect(rows.find(({ sessionId }) => sessionId === busy)).toMatchObject({
      verdict: "done",
      outcome: "refused",
    });
    expect(rows.find(({ sessionId }) => sessionId === idle)).toMatchObject({ outcome: "closed" });
    expect(await house.session(busy)).toMatchObject({ status: "live" });
  });

  test("changes nothing when a step of it is done again, and answers the same", async () => {
    const { pass, registered, opened, ownerUid, loop } = await given();
    const { runId, rows } = await pass({ apply: true });
    const run = (await loop.runs.readHead(runId))!;
    const before = await tableOf(engine.tables.sessions);
    const context = {
      ownerUid,
      runId,
      sessionId: null,
      at: run.createdAt,
      requestedBy: run.requestedBy,
      runStartedAt: run.createdAt,
      itemPlace: "acted#0",
    };
    const again = await registered.tools["session_wrapup_apply"]!.call(context, {
      sessionIds: [opened[0]],
      verdict: "done",
      note: "it said so",
      judgedBy: "steward-judge",
      apply: true,
      idleMinutes: 30,
      userOrigins: [],
      closableOrigins: ["cron:*"],
    });
    expect(rows[0]?.outcome).toBe("closed");
    expect(again).toMatchObject({
      value: { results: [{ sessionId: opened[0], ok: true, action: "closed" }] },
    });
    expect(await tableOf(engine.tables.sessions)).toEqual(before);
  });

  test("comes every hour once somebody has switched it on, and acts", async () => {
    const { loop, clock, ownerUid, opened, session } = await given();
    const deps = { loops: loop.loops, clock, workflows: loop.workflows };
    expect(await scheduleState(deps, ownerUid, "session-steward")).toMatchObject([
      { status: "paused", nextAt: null },
    ]);
    clock.advance(HOUR_MS);
    expect(await loop.fire()).toMatchObject({ fired: 0 });
    const [switched] = await switchSchedule(deps, ownerUid, "session-steward", "live");
    expect(switched).toMatchObject({ status: "live", expression: "rate(1 hour)" });
    clock.advance(HOUR_MS);
    expect(await loop.fire()).toMatchObject({ fired: 1 });
    await loop.settleDown();
    expect(await session(opened[0]!)).toMatchObject({ status: "ended", endedBy: { kind: "schedule" } });
    await switchSchedule(deps, ownerUid, "session-steward", "paused");
    clock.advance(HOUR_MS);
    expect(await loop.fire()).toMatchObject({ fired: 0 });
  });

  test("is refused to an agent that wants it to act", async () => {
    const { pass } = await given();
    await expect(pass({ apply: true }, agent)).rejects.toMatchObject({ code: "people_only" });
    expect((await pass({}, agent)).apply).toBe(false);
  });
});
