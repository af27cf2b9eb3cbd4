import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createSession } from "../../../lib/sessions/create.ts";
import { HeartbeatReport } from "../../../lib/sessions/heartbeat.ts";
import { lastWorkedAt } from "../../../lib/sessions/progress.ts";
import { reportHeartbeat } from "../../../lib/sessions/report-heartbeat.ts";
import type { SessionId } from "../../../lib/sessions/session.ts";
import { createSessionStore } from "../../../lib/sessions/store.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine } from "../../support/engine.ts";
import { agentOf } from "../../support/http-event.ts";
import { countingIds } from "../../support/ids.ts";

const MINUTE = 60_000;
const engine = await startEngine();
afterAll(() => engine.stop());
const clock = testClock();
const sessions = createSessionStore(engine.doc, engine.tables);
const deps = { sessions, clock, ids: countingIds() };
const ana = agentOf("ana");

let sessionId: SessionId;
beforeEach(async () => {
  ({ sessionId } = await createSession(deps, { principal: ana, name: "n", purpose: "p" }));
  engine.resetCounts();
});

const beat = (report: object, store = sessions) =>
  reportHeartbeat(
    { ...deps, sessions: store },
    { principal: ana, sessionId, report: HeartbeatReport.parse(report) },
  );
const row = async () => (await sessions.readTracked(sessionId))!.session;
const worked = async () => lastWorkedAt(await row(), await sessions.readHeartbeat(sessionId));

describe("the session's row", () => {
  test("has the state that the agent told last, and counts its changes", async () => {
    await beat({ busy: true });
    await beat({ busy: false, awaitingPermission: true, pendingBackgroundTasks: 2 });
    expect(await row()).toMatchObject({
      busy: false,
      awaitingInput: false,
      awaitingPermission: true,
      pendingTasks: 2,
      stateSeq: 2,
    });
  });

  test("is written only when the state changes: another heartbeat is one write", async () => {
    await beat({ busy: true, tokensIn: 1 });
    engine.resetCounts();
    await beat({ busy: true, tokensIn: 50, turns: [{ role: "assistant", text: "x" }] });
    expect(engine.counts()).toMatchObject({ PutItem: 1 });
    expect(engine.counts()).not.toHaveProperty("UpdateItem");
    expect((await row()).stateSeq).toBe(1);
  });

  test("is written when a quiet agent gets on with its work, once for each", async () => {
    await beat({ tokensIn: 1 });
    await beat({ tokensIn: 1 });
    await beat({ tokensIn: 2 });
    await beat({ tokensIn: 2, turns: [{ role: "assistant", text: "x" }] });
    await beat({ tokensIn: 2, turns: [{ role: "assistant", text: "x" }] });
    expect((await row()).stateSeq).toBe(3);
  });

  test("keeps up with racing reports: state and newest report agree", async () => {
    for (let round = 0; round < 5; round++) {
      clock.advance(10);
      const at = clock.now();
      await Promise.all([
        beat({ at: at - 2, busy: true }),
        beat({ at: at - 1, busy: false, pendingBackgroundTasks: round }),
        beat({ at, awaitingInput: round % 2 === 0 }),
      ]);
      const heartbeat = await sessions.readHeartbeat(sessionId);
      expect(await row()).toMatchObject({
        busy: heartbeat?.busy,
        pendingTasks: heartbeat?.pendingBackgroundTasks,
        awaitingInput: heartbeat?.awaitingInput,
      });
    }
  });

  test("is set right by the next report when one stopped after its first write", async () => {
    const lost = {
      ...sessions,
      putHeartbeat: () => Promise.reject(new Error("stopped")),
    };
    await expect(beat({ busy: true }, lost)).rejects.toThrow("stopped");
    expect((await row()).busy).toBe(true);
    await beat({ tokensIn: 0 });
    expect((await row()).busy).toBe(false);
  });
});

describe("the time of the last work", () => {
  test("stays where it is while a timer reports an idle agent", async () => {
    await beat({ busy: false, tokensIn: 10, turns: [{ role: "assistant", text: "done" }] });
    const at = clock.now();
    for (let minute = 0; minute < 5; minute++) {
      clock.advance(MINUTE);
      await beat({ busy: false, tokensIn: 10, turns: [{ role: "assistant", text: "done" }] });
    }
    expect(await worked()).toBe(at);
  });

  test.each([
    { tokensOut: 1 },
    { turnsCompleted: 1 },
    { turns: [{ role: "user", text: "go on" }] },
    { toolCalls: [{ tool: "Bash", command: "ls", at: 1 }] },
  ])("moves with %j", async (report) => {
    clock.advance(MINUTE);
    await beat(report);
    expect(await worked()).toBe(clock.now());
  });

  test("is the time of arrival, whatever the agent's clock says", async () => {
    clock.advance(90 * MINUTE);
    await beat({ at: clock.now() - 60 * MINUTE, tokensIn: 5 });
    expect(await worked()).toBe(clock.now());
  });

  test("does not move by a report without anything new", async () => {
    const { lastActiveAt } = await row();
    clock.advance(MINUTE);
    await beat({ tokensIn: 0, turns: [], toolCalls: [] });
    expect(await worked()).toBe(lastActiveAt);
  });
});
