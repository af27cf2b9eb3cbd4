import { afterAll, expect, test } from "vitest";
import { httpHandler } from "../../../functions/middleware/http-handler.ts";
import { route } from "../../../functions/middleware/route.ts";
import { AppError } from "../../../lib/core/errors.ts";
import { createSession } from "../../../lib/sessions/create.ts";
import { endSession } from "../../../lib/sessions/end.ts";
import { createSessionStore, type SessionStore } from "../../../lib/sessions/store.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine } from "../../support/engine.ts";
import { agentOf, httpEvent } from "../../support/http-event.ts";
import { countingIds } from "../../support/ids.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const clock = testClock();
const ids = countingIds();
const store = createSessionStore(engine.doc, engine.tables);
const ana = agentOf("ana");
const WARNING = "x-mythos-session-warning";

const openFor = async (principal = ana) => {
  const { sessionId } = await createSession(
    { sessions: store, clock, ids },
    { principal, name: "n", purpose: "p" },
  );
  return sessionId;
};

async function ask(headers: Record<string, string>, sessions: SessionStore = store) {
  const handler = httpHandler(
    { clock, sessions },
    {
      "POST /work": route({
        scope: null,
        run: async ({ session }) => ({
          status: 200,
          body: { session },
          activity: { command: `/draft ${"x".repeat(500)}`, tokensIn: 7 },
        }),
      }),
    },
  );
  const answer = await handler(httpEvent({ route: "POST /work", principal: ana, headers }));
  return { ...answer, json: JSON.parse(answer.body) };
}

test("a route is given the owner's session, so that what it writes carries it", async () => {
  const id = await openFor();
  expect((await ask({ "x-mythos-session": ` ${id} ` })).json).toEqual({ session: id });
  expect((await ask({})).json).toEqual({ session: null });
});

test("a route is never given another owner's session", async () => {
  const answer = await ask({ "x-mythos-session": await openFor(agentOf("bob")) });
  expect(answer.json).toEqual({ session: null });
  expect(answer.headers[WARNING]).toBe("unknown session");
});

test("a route is given an ended session: what was begun in it still belongs to it", async () => {
  const id = await openFor();
  await endSession({ sessions: store, clock }, { principal: ana, sessionId: id });
  const answer = await ask({ "x-mythos-session": id });
  expect(answer.json).toEqual({ session: id });
  expect(answer.headers[WARNING]).toBe("session ended");
});

test("what the route tells of a request is kept, cut to a few words", async () => {
  const id = await openFor();
  await ask({ "x-mythos-session": id });
  const [row] = await store.activities(id, { notBefore: 0, before: null, limit: 5 });
  expect(row).toMatchObject({ route: "POST /work", tokensIn: 7, tokensOut: null, status: 200 });
  expect(row?.command).toHaveLength(200);
});

const unavailable = async (): Promise<never> => {
  throw new AppError("storage_unavailable", "broken", { operation: "x", requestId: undefined });
};

test("a request that could not be recorded is answered as it went, with a warning", async () => {
  const id = await openFor();
  const answer = await ask({ "x-mythos-session": id }, { ...store, recordActivity: unavailable });
  expect(answer.json).toEqual({ session: id });
  expect(answer.headers[WARNING]).toBe("not recorded");
});

test("a session that cannot be looked up stops the request before it does anything", async () => {
  const answer = await ask({ "x-mythos-session": await openFor() }, { ...store, readTracked: unavailable });
  expect(answer).toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } });
});

test("a request without the header costs no read and no write", async () => {
  engine.resetCounts();
  await ask({});
  expect(engine.counts()).toEqual({});
});
