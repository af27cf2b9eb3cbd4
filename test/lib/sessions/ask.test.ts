import { afterAll, beforeEach, expect, test } from "vitest";
import { askOnce, saidSince } from "../../../lib/sessions/ask.ts";
import { createSession } from "../../../lib/sessions/create.ts";
import { HeartbeatReport } from "../../../lib/sessions/heartbeat.ts";
import { reportHeartbeat } from "../../../lib/sessions/report-heartbeat.ts";
import type { SessionId } from "../../../lib/sessions/session.ts";
import { createSessionStore, type SessionStore } from "../../../lib/sessions/store.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine } from "../../support/engine.ts";
import { agentOf } from "../../support/http-event.ts";
import { countingIds } from "../../support/ids.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const clock = testClock();
const sessions = createSessionStore(engine.doc, engine.tables);
const deps = { sessions, clock, ids: countingIds() };
const ana = agentOf("ana");

let sessionId: SessionId;
beforeEach(async () => {
  ({ sessionId } = await createSession(deps, { principal: ana, name: "n", purpose: "p" }));
});

const beat = (report: object) =>
  reportHeartbeat(deps, { principal: ana, sessionId, report: HeartbeatReport.parse(report) });
const ask = async (store: SessionStore = sessions) =>
  askOnce(
    { sessions: store, clock },
    {
      sessionId,
      token: "t",
      text: "Done?",
      from: "steward",
      heartbeat: await sessions.readHeartbeat(sessionId),
    },
  );

test("a question asked again is one message, also when the agent has read it in between", async () => {
  const first = await ask();
  clock.advance(45_000);
  expect((await ask()).askedAt).toBe(first.askedAt);
  const { mailbox } = await beat({});
  expect(mailbox).toMatchObject([{ kind: "question", text: "Done?", sentAt: first.askedAt }]);
  await beat({ received: [mailbox[0]!.messageId] });
  await ask();
  expect((await beat({})).mailbox).toEqual([]);
});

test("an ask that stopped before its message is asked with the next try, at its first time", async () => {
  const stopping = { ...sessions, putMessage: () => Promise.reject(new Error("stopped")) };
  const { now } = clock;
  const askedAt = now();
  await expect(ask(stopping)).rejects.toThrow("stopped");
  clock.advance(1000);
  await ask();
  expect((await beat({})).mailbox).toMatchObject([{ sentAt: askedAt }]);
});

test("only turns that were not known when it was asked can answer it", async () => {
  const old = { role: "assistant", text: "STEWARD: DONE long ago" };
  await beat({ turns: [old, { role: "user", text: "go on" }] });
  const asked = await ask();
  const said = async () => saidSince(asked, await sessions.readHeartbeat(sessionId));
  expect(await said()).toEqual([]);
  await beat({ turns: [old, { role: "user", text: "STEWARD: DONE" }, { role: "assistant", text: "one" }] });
  await beat({
    turns: [
      { role: "assistant", text: "one" },
      { role: "assistant", text: "two" },
    ],
  });
  expect(await said()).toEqual(["one", "two"]);
});
