import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Principal } from "../../../lib/core/principal.ts";
import { createSession, type NewSession } from "../../../lib/sessions/create.ts";
import { endSession } from "../../../lib/sessions/end.ts";
import type { SessionId } from "../../../lib/sessions/session.ts";
import { createSessionStore } from "../../../lib/sessions/store.ts";
import { stampSession } from "../../../lib/sessions/track.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine } from "../../support/engine.ts";
import { agentOf } from "../../support/http-event.ts";
import { countingIds } from "../../support/ids.ts";

const MINUTE = 60_000;
const engine = await startEngine();
afterAll(() => engine.stop());
const clock = testClock();
const ids = countingIds();
const sessions = createSessionStore(engine.doc, engine.tables);
const deps = { sessions, clock, ids };

let owners = 0;
let ana: Principal;
beforeEach(() => {
  ana = agentOf(`ana${++owners}`);
});

const open = (more: Partial<NewSession> = {}, principal = ana) =>
  createSession(deps, { principal, name: "n", purpose: "p", ...more });
const liveIds = async (limit = 50) => {
  const found: string[] = [];
  let after = null;
  do {
    const page: Awaited<ReturnType<typeof sessions.liveSessions>> = await sessions.liveSessions(
      ana.ownerUid,
      { limit, after },
    );
    found.push(...page.items.map(({ sessionId }) => sessionId));
    after = page.next;
  } while (after);
  return found;
};

test("the live list has the longest untouched first, over pages, and nobody else's", async () => {
  const opened: SessionId[] = [];
  for (let n = 0; n < 5; n++) {
    opened.push((await open()).sessionId);
    clock.advance(6 * MINUTE);
  }
  await open({}, agentOf("bob"));
  const activity = { route: "r", argsDigest: "d", command: null, status: 200, ms: 1, tokensIn: null };
  await stampSession(deps, {
    sessionId: opened[1]!,
    principal: ana,
    requestId: "r1",
    at: clock.now(),
    activity: { ...activity, tokensOut: null },
  });
  expect(await liveIds(2)).toEqual([0, 2, 3, 4, 1].map((n) => opened[n]));
});

test("what has ended is not in it, and stands first in the list of all", async () => {
  const [older, newer] = [await open(), await open()];
  clock.advance(30 * MINUTE);
  const last = await open();
  clock.advance(30 * MINUTE);
  await endSession(deps, { principal: ana, sessionId: older.sessionId });
  expect(await liveIds()).toEqual([newer.sessionId, last.sessionId]);
  const { items } = await sessions.listOwned(ana.ownerUid, { limit: 50, after: null });
  expect(items.map(({ sessionId }) => sessionId)).toEqual([older.sessionId, last.sessionId, newer.sessionId]);
});

test("a session of a release without the list comes into it with its next request", async () => {
  const { sessionId } = await open();
  await engine.doc.send(
    new UpdateCommand({
      TableName: engine.tables.sessions,
      Key: { sessionId, part: "SESSION" },
      UpdateExpression: "REMOVE liveOwner, stateSeq, busy, awaitingInput, awaitingPermission, pendingTasks",
    }),
  );
  expect(await liveIds()).toEqual([]);
  const activity = { route: "r", argsDigest: "d", command: null, status: 200, ms: 1 };
  const stamp = { sessionId, principal: ana, requestId: "r1", at: clock.now() };
  await stampSession(deps, { ...stamp, activity: { ...activity, tokensIn: null, tokensOut: null } });
  expect(await liveIds()).toEqual([sessionId]);
});

test("children are found by their parent, and only its owner's", async () => {
  const parent = await open();
  const child = await open({ parentSessionId: parent.sessionId });
  expect(await sessions.children(ana.ownerUid, parent.sessionId)).toMatchObject([
    { sessionId: child.sessionId },
  ]);
  expect(await sessions.children("bob", parent.sessionId)).toEqual([]);
});

test("a session that goes on with an ended one is named by it, and the first keeps its place", async () => {
  const before = await open();
  await endSession(deps, { principal: ana, sessionId: before.sessionId });
  const next = await open({ continuedFrom: before.sessionId });
  await open({ continuedFrom: before.sessionId });
  expect(next).toMatchObject({ continuedFrom: before.sessionId });
  expect((await sessions.readTracked(before.sessionId))?.session).toMatchObject({
    status: "ended",
    continuedTo: next.sessionId,
  });
  await expect(open({ continuedFrom: before.sessionId }, agentOf("bob"))).rejects.toMatchObject({
    code: "session_not_found",
  });
});
