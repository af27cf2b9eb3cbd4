import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createHandler } from "../../functions/http-sessions.ts";
import type { Principal } from "../../lib/core/principal.ts";
import { sendMessage } from "../../lib/sessions/mailbox.ts";
import { createSessionStore } from "../../lib/sessions/store.ts";
import type { TimelineRun } from "../../lib/sessions/timeline.ts";
import { testClock } from "../support/clock.ts";
import { startEngine } from "../support/engine.ts";
import { agentOf, httpEvent, humanOf, restEvent } from "../support/http-event.ts";
import { countingIds } from "../support/ids.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const DAY_MS = 24 * 60 * 60 * 1000;
const ids = countingIds();
const clock = testClock();
const sessions = createSessionStore(engine.doc, engine.tables);
let runs: TimelineRun[] = [];
const handler = createHandler({
  clock,
  ids,
  sessions,
  runsOfSession: async (_, { atOrBefore, limit }) =>
    runs.filter((run) => run.createdAt <= atOrBefore).slice(0, limit),
});

let owners = 0;
let ana: Principal;
let bob: Principal;
beforeEach(() => {
  runs = [];
  owners++;
  ana = agentOf(`ana${owners}`);
  bob = agentOf(`bob${owners}`);
});

type Call = Omit<Parameters<typeof httpEvent>[0], "route">;
async function call(route: string, request: Call = {}) {
  const answer = await handler(httpEvent({ route, principal: ana, ...request }));
  return { ...answer, json: JSON.parse(answer.body) };
}
const open = async (body: object = {}, principal = ana): Promise<string> => {
  const answer = await call("POST /api/internal/sessions", {
    principal,
    body: { name: "chat", purpose: "Plan May", ...body },
  });
  expect(answer.statusCode).toBe(201);
  return answer.json.sessionId;
};
const show = async (id: string, principal = ana) =>
  (await call("GET /api/internal/sessions/{id}", { principal, params: { id } })).json;
const on = (sessionId: string, request: Call = {}, header = "x-mythos-session") =>
  call("GET /api/internal/sessions", { ...request, headers: { [header]: sessionId } });
const timeline = async (id: string, query: Record<string, string> = {}) =>
  (await call("GET /api/internal/sessions/{id}/timeline", { params: { id }, query })).json;
const beat = (id: string, body: object, principal = ana) =>
  call("POST /api/internal/sessions/{id}/heartbeat", { principal, params: { id }, body });
const end = (id: string, body?: object, principal = ana) =>
  call("POST /api/internal/sessions/{id}/end", { principal, params: { id }, body });

describe("creating", () => {
  test("binds owner and origin class to the credential, whatever the client calls its origin", async () => {
    const agents = await open({ origin: "human" });
    expect(await show(agents)).toMatchObject({
      status: "live",
      ownerUid: ana.ownerUid,
      origin: "human",
      originClass: "agent",
      keepAlive: false,
      parentSessionId: null,
      requestCount: 0,
      heartbeat: null,
    });
    const person = humanOf(ana.ownerUid);
    expect(await show(await open({}, person), person)).toMatchObject({ originClass: "human" });
  });

  test.each([
    [{ name: "" }, "/name"],
    [{ purpose: "x".repeat(501) }, "/purpose"],
    [{ ownerUid: "bob" }, "/ownerUid"],
    [{ originClass: "human" }, "/originClass"],
    [{ parentSessionId: "" }, "/parentSessionId"],
  ])("refuses %j at its place", async (body, pointer) => {
    const answer = await call("POST /api/internal/sessions", { body: { name: "n", purpose: "p", ...body } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json.failing).toEqual([{ pointer, message: expect.any(String) }]);
  });

  test("takes a parent of the same owner and no other", async () => {
    const parent = await open();
    expect(await show(await open({ parentSessionId: parent }))).toMatchObject({ parentSessionId: parent });
    const foreign = await open({}, bob);
    const answer = await call("POST /api/internal/sessions", {
      body: { name: "n", purpose: "p", parentSessionId: foreign },
    });
    expect(answer.json).toMatchObject({ status: 404, code: "session_not_found" });
  });
});

describe("the header", () => {
  test.each(["x-mythos-session", "X-Mythos-Session", "X-MYTHOS-SESSION"])("%s stamps", async (header) => {
    const id = await open();
    const answer = await on(id, {}, header);
    expect(answer.headers).not.toHaveProperty("x-mythos-session-warning");
    expect(await show(id)).toMatchObject({ requestCount: 1, lastCaller: { keyId: ana.keyId } });
  });

  test("stamps in an event of a REST API too", async () => {
    const id = await open();
    const route = "GET /api/internal/sessions";
    await handler(restEvent({ route, principal: ana, headers: { "X-Mythos-Session": id } }));
    expect(await show(id)).toMatchObject({ requestCount: 1 });
    expect((await timeline(id)).items[0]).toMatchObject({ route });
  });

  test("stamps a request that failed, with its status", async () => {
    const id = await open();
    await on(id, { query: { limit: "no" } });
    await on(id, { principal: { ...ana, scopes: [] } });
    expect((await timeline(id)).items.map((item: { status: number }) => item.status).toSorted()).toEqual([
      400, 403,
    ]);
  });

  test("of another owner stamps nothing, is no session of the route and is warned of as an unknown one", async () => {
    const foreign = await open({}, bob);
    const before = await show(foreign, bob);
    const answer = await on(foreign);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["x-mythos-session-warning"]).toBe("unknown session");
    expect((await on("ses_none")).headers["x-mythos-session-warning"]).toBe("unknown session");
    expect((await on("")).headers["x-mythos-session-warning"]).toBe("unknown session");
    expect(await show(foreign, bob)).toEqual(before);
    const seen = await call("GET /api/internal/sessions/{id}/timeline", {
      principal: bob,
      params: { id: foreign },
    });
    expect(seen.json.items).toEqual([]);
  });

  test("grants nothing: without a key it is 401 and stamps nothing", async () => {
    const id = await open();
    const answer = await on(id, { principal: undefined });
    expect(answer.statusCode).toBe(401);
    expect(await show(id)).toMatchObject({ requestCount: 0 });
  });

  test("of an ended session warns and stamps nothing", async () => {
    const id = await open();
    await end(id);
    expect((await on(id)).headers["x-mythos-session-warning"]).toBe("session ended");
    expect(await show(id)).toMatchObject({ requestCount: 0 });
  });
});

describe("another owner's session", () => {
  test("is answered on every route exactly as an unknown one", async () => {
    const id = await open();
    const probes = [
      (one: string) => call("GET /api/internal/sessions/{id}", { principal: bob, params: { id: one } }),
      (one: string) =>
        call("GET /api/internal/sessions/{id}/timeline", { principal: bob, params: { id: one } }),
      (one: string) => beat(one, {}, bob),
      (one: string) => end(one, {}, bob),
    ];
    const unknown = `${id.slice(0, -1)}x`;
    for (const probe of probes) {
      const [foreign, none] = [await probe(id), await probe(unknown)];
      expect(foreign.statusCode).toBe(404);
      const named = (json: object) =>
        JSON.stringify({ ...json, requestId: "" })
          .replaceAll(id, "ID")
          .replaceAll(unknown, "ID");
      expect(named(foreign.json)).toBe(named(none.json));
    }
    expect(await show(id)).toMatchObject({ status: "live", heartbeat: null });
  });

  test("is not in the list", async () => {
    await open({}, bob);
    const mine = await open();
    const { json } = await call("GET /api/internal/sessions");
    expect(json.items.map((item: { sessionId: string }) => item.sessionId)).toEqual([mine]);
  });
});

describe("the list", () => {
  test("has the latest active first and goes on by cursor to the end", async () => {
    const opened: string[] = [];
    for (let n = 0; n < 7; n++) {
      opened.push(await open());
      clock.advance(6 * 60 * 1000);
    }
    await on(opened[2] ?? "");
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string> = { limit: "3", ...(cursor && { cursor }) };
      const { json } = await call("GET /api/internal/sessions", { query });
      seen.push(...json.items.map((item: { sessionId: string }) => item.sessionId));
      cursor = json.nextCursor;
    } while (cursor);
    expect(seen).toEqual([2, 6, 5, 4, 3, 1, 0].map((n) => opened[n]));
  });

  test("does not follow a cursor of another owner to that owner's sessions", async () => {
    await open({}, bob);
    await open({}, bob);
    const first = await call("GET /api/internal/sessions", { principal: bob, query: { limit: "1" } });
    const { json } = await call("GET /api/internal/sessions", { query: { cursor: first.json.nextCursor } });
    expect(first.json.nextCursor).toMatch(/./);
    expect(json).toMatchObject({ status: 400, code: "invalid_request" });
  });

  test.each([{ cursor: "@@@" }, { cursor: "e30" }, { limit: "0" }, { limit: "51" }, { limit: "1e1" }])(
    "refuses %j",
    async (query) => {
      expect(
        (await call("GET /api/internal/sessions", { query: query as Record<string, string> })).json,
      ).toMatchObject({ status: 400, code: "invalid_request" });
    },
  );
});

describe("the timeline", () => {
  test("merges requests and runs, newest first, over pages", async () => {
    const id = await open();
    for (let n = 0; n < 5; n++) {
      clock.advance(10);
      runs.unshift({ runId: `run_${n}`, createdAt: clock.now(), status: "done" });
      clock.advance(10);
      await on(id, { requestId: `req_${n}` });
    }
    clock.advance(1);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await timeline(id, { limit: "3", ...(cursor && { cursor }) });
      expect(page.items.length).toBeGreaterThan(0);
      for (const item of page.items) seen.push(item.kind === "run" ? item.run.runId : item.requestId);
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual([4, 3, 2, 1, 0].flatMap((n) => [`req_${n}`, `run_${n}`]));
  });

  test("pages over requests and runs of the same ms without losing or repeating one", async () => {
    const id = await open();
    runs = ["run_b", "run_a"].map((runId) => ({ runId, createdAt: clock.now() }));
    for (const n of [1, 2, 3]) await on(id, { requestId: `req_${n}` });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await timeline(id, { limit: "1", ...(cursor && { cursor }) });
      for (const item of page.items) seen.push(item.kind === "run" ? item.run.runId : item.requestId);
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(["run_b", "run_a", "req_3", "req_2", "req_1"]);
  });

  test("leaves out what has expired, though the engine still has it", async () => {
    const id = await open();
    await on(id);
    clock.advance(30 * DAY_MS - 1000);
    await on(id);
    expect((await timeline(id)).items).toHaveLength(2);
    clock.advance(1000);
    expect((await timeline(id)).items).toHaveLength(1);
  });

  test("tells equal arguments from others without holding them", async () => {
    const id = await open();
    for (const limit of ["5", "5", "6"]) {
      clock.advance(1);
      await on(id, { query: { limit } });
    }
    const digests = (await timeline(id)).items.map((item: { argsDigest: string }) => item.argsDigest);
    expect(digests[1]).toBe(digests[2]);
    expect(digests[0]).not.toBe(digests[1]);
  });
});

describe("a heartbeat", () => {
  test("is kept beside the session and moves no index", async () => {
    const id = await open();
    const answer = await beat(id, { busy: true, tokensIn: 5, host: { cores: 8, load1: 0.5 } });
    expect(answer.statusCode).toBe(200);
    expect(answer.json).toMatchObject({ sessionId: id, heartbeat: { busy: true }, mailbox: [] });
    expect(await show(id)).toMatchObject({
      requestCount: 0,
      heartbeat: { busy: true, tokensIn: 5, reportedAt: clock.now() },
    });
    const { json } = await call("GET /api/internal/sessions");
    expect(json.items[0]).toMatchObject({ heartbeat: { tokensIn: 5 } });
  });

  test("keeps the highest counters of racing reports", async () => {
    const id = await open();
    await Promise.all([1, 2, 3].map((n) => beat(id, { tokensIn: n })));
    expect(await show(id)).toMatchObject({ heartbeat: { tokensIn: 3, revision: 3 } });
  });

  test("carries the mailbox until the messages are reported as received", async () => {
    const id = await open();
    const message = {
      sessionId: id as `ses_${string}`,
      kind: "question",
      text: "Are you done?",
      from: "steward",
      sentAt: clock.now(),
    } as const;
    await sendMessage({ sessions }, { ...message, token: "a" });
    await sendMessage({ sessions }, { ...message, token: "a" });
    await sendMessage(
      { sessions },
      { ...message, token: "b", kind: "close_request", sentAt: clock.now() + 1 },
    );
    const mailbox = (await beat(id, {})).json.mailbox;
    expect(mailbox.map((one: { kind: string }) => one.kind)).toEqual(["question", "close_request"]);
    const received = [mailbox[0].messageId];
    expect((await beat(id, {})).json.mailbox).toHaveLength(2);
    const left = (await beat(id, { received })).json.mailbox;
    expect(left.map((one: { kind: string }) => one.kind)).toEqual(["close_request"]);
    expect((await beat(id, { received })).json.mailbox).toEqual(left);
  });

  test("of an ended session is told to stop, and why", async () => {
    const id = await open();
    await end(id, { outcome: "closed by the steward" });
    const answer = await beat(id, { busy: true });
    expect(answer.json).toMatchObject({ status: 409, code: "session_ended" });
    expect(answer.json.detail).toContain("closed by the steward");
  });
});

describe("a session that ended under its agent", () => {
  test("tells it what came of it, and how to go on", async () => {
    const id = await open();
    await end(id, { outcome: "not needed\nany more" });
    const { detail, hint, outcome } = (await beat(id, {})).json;
    expect(detail).toContain("stop working in it");
    expect(detail).toContain('"not needed any more"');
    expect(detail).toContain(`continuedFrom "${id}"`);
    expect(hint).toContain("continuedFrom");
    expect(outcome).toBe("not needed\nany more");
    const next = await open({ continuedFrom: id });
    expect((await beat(id, {})).json.detail).toContain(`Session ${next} goes on with it`);
  });
});

test("a heartbeat that names its session is counted and moves no time", async () => {
  const id = await open();
  const { lastActiveAt } = await show(id);
  clock.advance(60_000);
  const headers = { "x-mythos-session": id };
  await call("POST /api/internal/sessions/{id}/heartbeat", { params: { id }, body: {}, headers });
  expect(await show(id)).toMatchObject({ requestCount: 1, lastActiveAt });
});

describe("ending", () => {
  test("ends once: the first outcome, time and person stay", async () => {
    const id = await open();
    const first = (await end(id, { outcome: "merged" })).json;
    expect(first).toMatchObject({ status: "ended", outcome: "merged", endedBy: { uid: ana.uid } });
    clock.advance(1000);
    expect((await end(id, { outcome: "again" })).json).toEqual(first);
    expect(await show(id)).toMatchObject({ status: "ended", endedAt: first.endedAt });
  });

  test("needs no body", async () => {
    expect((await end(await open())).json).toMatchObject({ status: "ended", outcome: null });
  });

  test("gives racing ends the same answer", async () => {
    const id = await open();
    const answers = await Promise.all(["a", "b", "c"].map((outcome) => end(id, { outcome })));
    expect(new Set(answers.map(({ json }) => json.outcome)).size).toBe(1);
  });
});

test("an agent without sessions:write cannot open, beat or end", async () => {
  const id = await open();
  const principal = { ...ana, scopes: ["runs:read"] as const };
  const body = { name: "n", purpose: "p" };
  expect((await call("POST /api/internal/sessions", { principal, body })).statusCode).toBe(403);
  expect((await beat(id, {}, principal)).statusCode).toBe(403);
  expect((await end(id, {}, principal)).statusCode).toBe(403);
});
