import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createHandler } from "../../functions/http-memos.ts";
import { wakeBrokenLanes, wakeWaitingLane } from "../../functions/http-memos-lanes.ts";
import { laneKey } from "../../lib/core/keys.ts";
import type { Principal } from "../../lib/core/principal.ts";
import { createCatalog } from "../../lib/memos/catalog.ts";
import { createSearch } from "../../lib/memos/search.ts";
import { createMemoStore } from "../../lib/memos/store.ts";
import { createQueueStore } from "../../lib/queue/store.ts";
import { readyLane } from "../../lib/queue/writes.ts";
import { createSession } from "../../lib/sessions/create.ts";
import { createSessionStore } from "../../lib/sessions/store.ts";
import { testClock } from "../support/clock.ts";
import { startEngine } from "../support/engine.ts";
import { agentOf, httpEvent, restEvent } from "../support/http-event.ts";
import { countingIds } from "../support/ids.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const clock = testClock();
const memos = createMemoStore(engine.doc, engine.tables);
const catalog = createCatalog({ memos, clock });
const queue = createQueueStore(engine.doc, engine.tables);
let rung = 0;
const doorbells = {
  async ringWake() {
    rung++;
    return true;
  },
};
const deps = {
  clock,
  ids: countingIds(),
  sessions: createSessionStore(engine.doc, engine.tables),
  memos,
  catalog,
  search: createSearch({ memos, catalog, clock }),
  memoChanged: wakeWaitingLane({ queue, doorbells }),
  titlesChanged: wakeBrokenLanes({ queue, doorbells, catalog }),
};
const handler = createHandler(deps);

let owners = 0;
let ana: Principal;
let bob: Principal;
beforeEach(() => {
  rung = 0;
  owners++;
  ana = agentOf(`ana${owners}`);
  bob = agentOf(`bob${owners}`);
});

type Call = Omit<Parameters<typeof httpEvent>[0], "route">;
async function call(route: string, request: Call = {}) {
  const answer = await handler(httpEvent({ route, principal: ana, ...request }));
  return { ...answer, json: JSON.parse(answer.body) };
}
const create = (body: object, principal = ana) => call("POST /api/memos", { principal, body });
const show = (id: string, principal = ana) => call("GET /api/memos/{id}", { principal, params: { id } });
const change = (id: string, version: string | undefined, body: unknown, principal = ana) =>
  call("PUT /api/memos/{id}", {
    principal,
    params: { id },
    body,
    ...(version !== undefined && { headers: { "If-Match": version } }),
  });
const remove = (id: string, version: string, principal = ana) =>
  call("DELETE /api/memos/{id}", { principal, params: { id }, headers: { "if-match": version } });
const list = (query: Record<string, string> = {}, principal = ana) =>
  call("GET /api/memos", { principal, query });
const titlesOf = (answer: { json: { items: { title: string }[] } }) =>
  answer.json.items.map(({ title }) => title);
const send = (files: unknown) => call("POST /api/memos/import", { body: { files } });
async function givenWaitingLane(memoId: string) {
  const lane = laneKey(ana.ownerUid, memoId);
  await queue.writeLane(lane, readyLane(lane));
  const wait = { reason: "draft", contentVersion: 1 };
  await queue.writeLane(lane, { name: "test", set: { wait }, remove: ["readyShard"], when: [] });
  return lane;
}

describe("one memo", () => {
  test("is created with its version as ETag and read back the same", async () => {
    const made = await create({ title: "  Road   map ", body: "Text", tags: ["a", ""] });
    expect(made.statusCode).toBe(201);
    expect(made.headers["etag"]).toBe('"1"');
    expect(made.json).toMatchObject({
      title: "Road map",
      body: "Text",
      tags: ["a", ""],
      notes: "",
      memoType: "note",
      visibility: "unlisted",
      contentVersion: 1,
      writtenBy: { principalId: ana.principalId, kind: "agent" },
      sessionId: null,
      runId: null,
    });
    expect(made.json).not.toHaveProperty("writeToken");
    const read = await show(made.json.memoId);
    expect(read.json).toEqual(made.json);
    expect(read.headers["etag"]).toBe('"1"');
  });

  test("is changed in the fields that were sent, on the version that was read", async () => {
    const { memoId } = (await create({ title: "T", body: "b", tags: ["x"] })).json;
    const changed = await change(memoId, '"1"', { notes: "beside" });
    expect(changed).toMatchObject({ statusCode: 200, headers: { etag: '"2"' } });
    expect(changed.json).toMatchObject({
      title: "T",
      body: "b",
      tags: ["x"],
      notes: "beside",
      contentVersion: 2,
    });
    const stale = await change(memoId, '"1"', { body: "stale" });
    expect(stale.json).toMatchObject({ code: "memo_version_conflict", status: 409, expected: 1, actual: 2 });
    expect((await show(memoId)).json.body).toBe("b");
  });

  test("is changed only by a request that says what it changes", async () => {
    const { memoId } = (await create({ title: "T", body: "b" })).json;
    expect((await change(memoId, undefined, { body: "c" })).json).toMatchObject({
      code: "precondition_required",
      status: 428,
    });
    for (const bad of ["*", '"x"', "0", "-1", '"1", "2"', "1.5"]) {
      const answer = await change(memoId, bad, { body: "c" });
      expect([bad, answer.statusCode]).toEqual([bad, 400]);
      expect(answer.json.failing).toEqual([{ pointer: "/headers/if-match", message: expect.any(String) }]);
    }
    expect((await show(memoId)).json.contentVersion).toBe(1);
    for (const [version, good] of [
      [1, '"1"'],
      [2, "2"],
      [3, 'W/"3"'],
    ] as const) {
      expect((await change(memoId, good, { body: `c${version}` })).json.contentVersion).toBe(version + 1);
    }
  });

  test("is gone after DELETE for everything that follows", async () => {
    const { memoId } = (await create({ title: "T", body: "b" })).json;
    expect((await remove(memoId, '"7"')).json).toMatchObject({ code: "memo_version_conflict", actual: 1 });
    expect(await remove(memoId, '"1"')).toMatchObject({ statusCode: 200, json: { memoId, deleted: true } });
    expect((await show(memoId)).statusCode).toBe(404);
    expect((await change(memoId, '"2"', { body: "again" })).statusCode).toBe(404);
    expect((await remove(memoId, '"2"')).statusCode).toBe(404);
    expect(titlesOf(await list())).toEqual([]);
  });

  test("names the session it was written in", async () => {
    const { sessionId } = await createSession(deps, { principal: ana, name: "chat", purpose: "Plan May" });
    const headers = { "X-Mythos-Session": sessionId };
    const body = { title: "T", body: "b" };
    expect((await call("POST /api/memos", { body, headers })).json.sessionId).toBe(sessionId);
    expect((await call("POST /api/memos", { body, headers, principal: bob })).json.sessionId).toBeNull();
  });

  test("works the same behind a REST API", async () => {
    const answer = await handler(
      restEvent({ route: "POST /api/memos", principal: ana, body: { title: "T", body: "b" } }),
    );
    expect(answer.statusCode).toBe(201);
  });
});

describe("bad input", () => {
  test.each([
    [{ body: "b" }, "/title"],
    [{ title: " ", body: "b" }, "/title"],
    [{ title: "x".repeat(301), body: "b" }, "/title"],
    [{ title: "T" }, "/body"],
    [{ title: "T", body: 1 }, "/body"],
    [{ title: "T", body: "b", tags: ["a", 2] }, "/tags/1"],
    [{ title: "T", body: "b", memoType: "page" }, "/memoType"],
    [{ title: "T", body: "b", memoId: "memo_mine" }, "/memoId"],
    [{ title: "T", body: "b", ownerUid: "bob" }, "/ownerUid"],
    [[], ""],
  ])("%j is 400 at %j and writes nothing", async (body, pointer) => {
    engine.resetCounts();
    const answer = await create(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(answer.json.failing.map((failing: { pointer: string }) => failing.pointer)).toContain(pointer);
    expect(engine.counts()).toEqual({});
  });

  test("an update that changes nothing, or something unknown, is 400", async () => {
    const { memoId } = (await create({ title: "T", body: "b" })).json;
    expect((await change(memoId, '"1"', {})).statusCode).toBe(400);
    expect((await change(memoId, '"1"', { contentVersion: 9 })).json.failing[0].pointer).toBe(
      "/contentVersion",
    );
    expect((await change(memoId, '"1"', { title: null })).json.failing[0].pointer).toBe("/title");
    expect((await show(memoId)).json.contentVersion).toBe(1);
  });

  test("a text above two megabytes is 413 and one at them is stored", async () => {
    const max = 2 * 1024 * 1024;
    const over = await create({ title: "T", body: "x".repeat(max + 1) });
    expect(over.json).toMatchObject({ code: "body_too_large", status: 413, limit: max, actual: max + 1 });
    const made = await create({ title: "T", body: "x".repeat(max) });
    expect(made.statusCode).toBe(201);
    expect((await show(made.json.memoId)).json.body).toHaveLength(max);
  });
});

describe("access", () => {
  test("another owner's memo is answered exactly as an unknown one", async () => {
    const { memoId } = (await create({ title: "Hers", body: "b" })).json;
    const unknown = "memo_unknown";
    for (const ask of [
      (id: string) => show(id, bob),
      (id: string) => change(id, '"1"', { body: "his" }, bob),
      (id: string) => remove(id, '"1"', bob),
    ]) {
      const theirs = await ask(memoId);
      const none = await ask(unknown);
      expect(theirs.statusCode).toBe(404);
      const neutral = ({ body, headers }: Awaited<ReturnType<typeof ask>>, id: string) =>
        body.replaceAll(id, "ID").replaceAll(headers["x-request-id"] ?? "", "REQ");
      expect(neutral(theirs, memoId)).toBe(neutral(none, unknown));
    }
    expect((await show(memoId)).json.contentVersion).toBe(1);
    expect(titlesOf(await list({}, bob))).toEqual([]);
    expect(titlesOf(await list({ q: "hers" }, bob))).toEqual([]);
  });

  test("an id that reaches into a longer owner name finds nothing", async () => {
    const inner = { ...ana, ownerUid: `${ana.ownerUid}#x` };
    const { memoId } = (await create({ title: "T", body: "b" }, inner)).json;
    expect((await show(memoId, inner)).statusCode).toBe(200);
    expect((await show(`x#${memoId}`)).statusCode).toBe(404);
  });

  test("each route needs its scope", async () => {
    const reader = agentOf("r", ["memos:read"]);
    expect((await create({ title: "T", body: "b" }, reader)).json).toMatchObject({
      code: "scope_missing",
      scope: "memos:write",
    });
    expect((await list({}, agentOf("r", ["memos:write"]))).statusCode).toBe(403);
    expect((await call("GET /api/memos", { principal: undefined })).statusCode).toBe(401);
  });

  test("workflows are made, changed, unmade and deleted only with their own scope", async () => {
    const plain = { ...ana, scopes: ["memos:read", "memos:write"] as const };
    const { memoId } = (await create({ title: "W", body: "b", memoType: "workflow" })).json;
    const note = (await create({ title: "N", body: "b" })).json.memoId;
    const refused = [
      await create({ title: "W", body: "b", memoType: "workflow" }, plain),
      await change(memoId, '"1"', { body: "c" }, plain),
      await change(memoId, '"1"', { memoType: "note" }, plain),
      await change(note, '"1"', { memoType: "workflow" }, plain),
      await remove(memoId, '"1"', plain),
    ];
    for (const { json } of refused) {
      expect(json).toMatchObject({ code: "scope_missing", status: 403, scope: "workflows:write" });
    }
    expect((await show(memoId)).json.contentVersion).toBe(1);
  });
});

describe("lists", () => {
  test("go page by page, newest change first, and miss nothing when a memo comes in between", async () => {
    for (let n = 1; n <= 5; n++) await create({ title: `Memo ${n}`, body: "b", tags: n % 2 ? ["odd"] : [] });
    const first = await list({ limit: "2" });
    expect(titlesOf(first)).toEqual(["Memo 5", "Memo 4"]);
    expect(first.json.items[0]).not.toHaveProperty("body");
    await create({ title: "New", body: "b" });
    const second = await list({ limit: "2", cursor: first.json.nextCursor });
    const third = await list({ limit: "2", cursor: second.json.nextCursor });
    expect([...titlesOf(second), ...titlesOf(third)]).toEqual(["Memo 3", "Memo 2", "Memo 1"]);
    expect(third.json.nextCursor).toBeNull();
    expect(titlesOf(await list({ tag: "ODD" }))).toEqual(["Memo 5", "Memo 3", "Memo 1"]);
    expect(titlesOf(await list({ type: "workflow" }))).toEqual([]);
  });

  test("of a search come best first, with a score and the line that fits", async () => {
    await create({ title: "Postgres", body: "# Postgres\n\nfirst line\n\nVacuum reclaims dead rows." });
    await create({ title: "Other", body: "nothing here" });
    const { json } = await list({ q: "how does vacuuming work" });
    expect(json.items).toEqual([
      expect.objectContaining({
        title: "Postgres",
        contentVersion: 1,
        score: expect.any(Number),
        snippet: "Vacuum reclaims dead rows.",
      }),
    ]);
    expect(json.nextCursor).toBeNull();
  });

  test.each([
    [{ limit: "0" }, "/query/limit"],
    [{ limit: "x" }, "/query/limit"],
    [{ cursor: "!!" }, "/query/cursor"],
    [{ type: "page" }, "/query/type"],
    [{ q: "x".repeat(1001) }, "/query/q"],
  ])("with %j are 400 at %s", async (query, pointer) => {
    const { statusCode, json } = await list(query);
    expect(statusCode).toBe(400);
    expect(json.failing[0].pointer).toBe(pointer);
  });
});

describe("import", () => {
  test("answers for each file and makes the folder a tag", async () => {
    const answer = await send([
      { path: "git/a.md", text: "# A\ntext" },
      { path: "bad.md", text: "---\ntags: [\n---\n" },
    ]);
    expect(answer.statusCode).toBe(200);
    expect(answer.json.files).toMatchObject([
      { path: "git/a.md", outcome: "created", title: "A", contentVersion: 1 },
      { path: "bad.md", outcome: "refused", reason: "bad_file" },
    ]);
    expect((await show(answer.json.files[0].memoId)).json.tags).toEqual(["git"]);
  });

  test("of no file, or of more than a hundred, is 400", async () => {
    expect((await send([])).json.failing[0].pointer).toBe("/files");
    const many = Array.from({ length: 101 }, (_, n) => ({ path: `${n}.md`, text: "" }));
    expect((await send(many)).statusCode).toBe(400);
    expect((await send([{ path: "a.md" }])).json.failing[0].pointer).toBe("/files/0/text");
  });
});

describe("a changed workflow", () => {
  test("makes its waiting lane ready and rings; an empty lane is left alone", async () => {
    const { memoId } = (await create({ title: "W", body: "b", memoType: "workflow" })).json;
    expect(rung).toBe(0);
    const lane = await givenWaitingLane(memoId);
    await change(memoId, '"1"', { body: "mended" });
    expect(rung).toBe(1);
    expect(await queue.readLane(lane)).toMatchObject({ readyShard: expect.any(String) });
    expect((await queue.readLane(lane)).wait).toBeUndefined();
  });
});

describe("a new title", () => {
  test("makes the lanes ready whose workflow missed it, and no lane that waits for its owner", async () => {
    const missing = (await create({ title: "W1", body: "b", memoType: "workflow" })).json.memoId;
    const paused = (await create({ title: "W2", body: "b", memoType: "workflow" })).json.memoId;
    const lanes = { missing: await givenWaitingLane(missing), paused: await givenWaitingLane(paused) };
    const wait = { reason: "compile_error", contentVersion: 1, message: "MW210 line 9" };
    await queue.writeLane(lanes.missing, { name: "test", set: { wait }, when: [] });
    rung = 0;
    await create({ title: "The gate is back", body: "b" });
    expect(rung).toBe(1);
    expect((await queue.readLane(lanes.missing)).readyShard).toBeDefined();
    expect((await queue.readLane(lanes.paused)).readyShard).toBeUndefined();
  });
});
