import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createStewardLoop } from "../../support/steward-loop.ts";
import { agent } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { createSession } from "../../../lib/sessions/create.ts";
import { HeartbeatReport } from "../../../lib/sessions/heartbeat.ts";
import { reportHeartbeat } from "../../../lib/sessions/report-heartbeat.ts";
import { countingIds } from "../../support/ids.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

describe("a pass of the session steward", () => {
  test("ends what it is sure of, and lands its report", async () => {
    const model = scriptedModel((request) => {
      const { candidate } = JSON.parse(request.parts[0]!.text) as { candidate: { sessionId: string } };
      return JSON.stringify({
        sessionId: candidate.sessionId,
        verdict: "done",
        confidence: 0.95,
        reason: "it said so",
      });
    });
    const { clock, sessions, pass, loop } = createStewardLoop(engine, { model });
    const deps = { sessions, clock, ids: countingIds() };
    const { sessionId } = await createSession(deps, {
      principal: agent,
      name: "nightly",
      purpose: "p",
      origin: "cron:nightly",
    });
    const report = HeartbeatReport.parse({
      tokensIn: 5,
      tokensOut: 5,
      turns: [{ role: "assistant", text: "Finished." }],
    });
    await reportHeartbeat(deps, { principal: agent, sessionId, report });
    clock.advance(60 * 60_000);
    const dry = await pass({});
    expect(dry.rows).toMatchObject([{ sessionId, class: "judge", verdict: "done", outcome: null }]);
    expect((await sessions.readSessions([sessionId]))[0]).toMatchObject({ status: "live" });
    const real = await pass({ apply: true });
    expect(real.rows).toMatchObject([{ sessionId, verdict: "done", saidBy: "agent", outcome: "closed" }]);
    expect((await sessions.readSessions([sessionId]))[0]).toMatchObject({
      status: "ended",
      verdict: { verdict: "done" },
    });
    expect(real.report).toContain("closed");
    const run = await loop.runs.readHead(real.runId);
    expect(run).toMatchObject({ status: "done", landing: { contentVersion: 1 } });
  });
});
