import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { ConditionalWrite } from "../../../lib/core/conditional-write.ts";
import { createSession } from "../../../lib/sessions/create.ts";
import { endSession } from "../../../lib/sessions/end.ts";
import { createSessionStore } from "../../../lib/sessions/store.ts";
import type { SessionId } from "../../../lib/sessions/session.ts";
import { stampSession, type ActivityOf } from "../../../lib/sessions/track.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine } from "../../support/engine.ts";
import { agentOf } from "../../support/http-event.ts";
import { countingIds } from "../../support/ids.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const ids = countingIds();
const clock = testClock();
const sessions = createSessionStore(engine.doc, engine.tables);
const ana = agentOf("ana");
const activity: ActivityOf = {
  route: "GET /api/memos",
  argsDigest: "d",
  command: null,
  status: 200,
  ms: 3,
  tokensIn: null,
  tokensOut: null,
};

let sessionId: SessionId;
beforeEach(async () => {
  const session = await createSession({ sessions, clock, ids }, { principal: ana, name: "n", purpose: "p" });
  sessionId = session.sessionId;
  engine.resetCounts();
});

const stamp = (requestId: string, at = clock.now(), principal = ana) =>
  stampSession({ sessions }, { sessionId, principal, requestId, activity, at });
const stored = async () => (await sessions.readTracked(sessionId))!.session;
const rows = (limit = 50) => sessions.activities(sessionId, { notBefore: 0, before: null, limit });

test("a request leaves a row, a count, a time and who made it", async () => {
  clock.advance(1000);
  expect(await stamp("r1")).toBe("stamped");
  expect(await stored()).toMatchObject({
    requestCount: 1,
    lastActiveAt: clock.now(),
    lastCaller: { uid: "ana", username: "ana@example", keyId: "key_ana", principalId: "agent:key_ana" },
  });
  expect(await rows()).toEqual([
    { ...activity, requestId: "r1", at: clock.now(), caller: expect.anything() },
  ]);
});

test("a request is one read and two writes", async () => {
  await stamp("r1");
  expect(engine.counts()).toEqual({ GetItem: 1, PutItem: 1, UpdateItem: 1 });
});

test("the same request stamped again counts once", async () => {
  const at = clock.now();
  await stamp("r1", at);
  await stamp("r2", at + 1);
  expect(await stamp("r1", at)).toBe("stamped");
  expect((await stored()).requestCount).toBe(2);
  expect(await rows()).toHaveLength(2);
});

test("a count whose answer was lost and that the client sends again counts once", async () => {
  const twice = {
    ...sessions,
    async countRequest(id: SessionId, write: ConditionalWrite) {
      await sessions.countRequest(id, write);
      // Another request comes between the lost answer and the second attempt.
      await stamp("between");
      return sessions.countRequest(id, write);
    },
  };
  const stamped = stampSession(
    { sessions: twice },
    { sessionId, principal: ana, requestId: "r1", activity, at: clock.now() },
  );
  expect(await stamped).toBe("stamped");
  expect((await stored()).requestCount).toBe(2);
});

test("racing requests are all counted and the latest time stays", async () => {
  const at = clock.now();
  const order = [5, 1, 9, 3, 7, 2, 8, 4, 6, 0];
  const known = (await sessions.readTracked(sessionId))!;
  const outcomes = await Promise.all(
    order.map((n) =>
      stampSession(
        { sessions },
        { sessionId, principal: ana, requestId: `r${n}`, activity, at: at + n, known },
      ),
    ),
  );
  expect(new Set(outcomes)).toEqual(new Set(["stamped"]));
  expect(await stored()).toMatchObject({ requestCount: 10, lastActiveAt: at + 9 });
});

test("a request that finishes late does not take the session back in time", async () => {
  const at = clock.now();
  await stamp("late-started", at + 5000, { ...ana, keyId: "key_new" });
  await stamp("early-started", at + 1000);
  expect(await stored()).toMatchObject({
    requestCount: 2,
    lastActiveAt: at + 5000,
    lastCaller: { keyId: "key_new" },
  });
});

test("another owner's session is unknown, and nothing of it is written", async () => {
  const before = await stored();
  engine.resetCounts();
  expect(await stamp("r1", clock.now(), agentOf("bob"))).toBe("unknown");
  expect(engine.counts()).toEqual({ GetItem: 1 });
  expect(await stored()).toEqual(before);
  expect(await rows()).toEqual([]);
});

test.each(["ses_none", "", "SESSION", "memo_1", "ses_#", "ses_" + "x".repeat(10_000)])(
  "%.20s is an unknown session",
  async (id) => {
    const outcome = await stampSession(
      { sessions },
      { sessionId: id, principal: ana, requestId: "r", activity, at: clock.now() },
    );
    expect(outcome).toBe("unknown");
    expect(engine.counts()["PutItem"]).toBeUndefined();
  },
);

test("an ended session is stamped no more", async () => {
  await endSession({ sessions, clock }, { principal: ana, sessionId });
  expect(await stamp("r1")).toBe("ended");
  expect((await stored()).requestCount).toBe(0);
  expect(await rows()).toEqual([]);
});

test("a session that ends between the read and the count is not counted", async () => {
  const known = (await sessions.readTracked(sessionId))!;
  await endSession({ sessions, clock }, { principal: ana, sessionId });
  const outcome = await stampSession(
    { sessions },
    { sessionId, principal: ana, requestId: "r1", activity, at: clock.now(), known },
  );
  expect(outcome).toBe("ended");
  expect((await stored()).requestCount).toBe(0);
});

test("the row stays small: request ids are remembered for minutes", async () => {
  for (let minute = 0; minute < 20; minute++) {
    clock.advance(60_000);
    await stamp(`r${minute}`);
  }
  const { session, counted } = (await sessions.readTracked(sessionId))!;
  expect(session.requestCount).toBe(20);
  expect(Object.keys(counted).length).toBeLessThanOrEqual(5);
});

test("stamps inside five minutes leave the index by owner alone, and later ones move it", async () => {
  const start = clock.now() - (clock.now() % 300_000) + 300_000;
  clock.advance(start - clock.now());
  await stamp("r1");
  const before = await bucketOf(sessionId);
  clock.advance(299_999);
  await stamp("r2");
  expect(await bucketOf(sessionId)).toBe(before);
  clock.advance(1);
  await stamp("r3");
  expect(await bucketOf(sessionId)).toBe(before + 300_000);
  const page = await sessions.listOwned("ana", { limit: 1, after: null });
  expect(page.items[0]?.sessionId).toBe(sessionId);
});

/** The index key of a session, read through an update that changes nothing. */
async function bucketOf(id: SessionId): Promise<number> {
  const { Attributes } = await engine.doc.send(
    new UpdateCommand({
      TableName: engine.tables.sessions,
      Key: { sessionId: id, part: "SESSION" },
      UpdateExpression: "SET requestCount = requestCount",
      ReturnValues: "ALL_NEW",
    }),
  );
  return Number(Attributes?.["activeBucketAt"]);
}
