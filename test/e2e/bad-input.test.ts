import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { BAD_REQUESTS, BRIEF, FOREIGN_REQUESTS, requestOf, type Ids, type Written } from "./bad-requests.ts";
import { clientOf, eventually, heldDraft, problemOf, send, type Client, type MemoEntry } from "./client.ts";
import { demoLibrary, importFiles } from "./library.ts";
import { givenHost, writesOf } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let stop = async () => {};
let host: Host;
let mine: Ids;
let another: Ids;

beforeAll(async () => {
  const given = await givenHost([{ uid: "stranger", ownerUid: "stranger" }]);
  ({ host, stop } = given);
  mine = await givenWork(clientOf(host, host.keys.stewardKey), clientOf(host, host.keys.agentKey));
  const stranger = clientOf(host, given.keys[0]!);
  another = await givenWork(stranger, stranger);
  await quiet();
});
afterAll(() => stop());

/** Makes one of each kind, with a draft that is held; who asks for it may not decide it. */
async function givenWork(client: Client, requester: Client): Promise<Ids> {
  await importFiles(client, demoLibrary());
  const { sessionId } = await client.post<{ sessionId: string }>("/api/internal/sessions", {
    name: "bad input",
    purpose: "Be there, so that others can ask for it",
  });
  const { itemId, runId, hold } = await heldDraft(requester, BRIEF.payload.topic);
  const memos = await client.all<MemoEntry>("/api/memos");
  const { keyId } = await client.post<{ keyId: string }>("/api/keys", { label: "bad input", scopes: [] });
  return {
    key: keyId,
    memo: memos.find(({ title }) => title === "House style")?.memoId ?? "none",
    workflow: hold.run.workflowId,
    session: sessionId,
    item: itemId,
    run: runId,
    hold: hold.holdId,
  };
}

/** Readings one after the other without a write between them: the passes behind the last hold are over. */
const QUIET_READINGS = 30;

async function quiet(): Promise<void> {
  let last = "";
  let same = 0;
  await eventually(async () => {
    const now = JSON.stringify(writesOf(host));
    same = now === last ? same + 1 : 0;
    last = now;
    if (same < QUIET_READINGS) throw new Error(`still writing: ${now}`);
  });
}

const ask = (written: Written, ids: Ids) => send(host, requestOf(written, host.keys.stewardKey, ids));

/** Places of our own code, which no answer shows. */
const STACK = /node_modules|\bat \w+ \(|\.ts:\d/;

describe("each bad request is told what is wrong, and writes nothing", () => {
  test.each(BAD_REQUESTS)("$name: $at is $status $code", async ({ status, code, onRecord, ...written }) => {
    const before = writesOf(host);
    const answer = await ask(written, mine);
    expect(problemOf(answer)).toMatchObject({
      type: `urn:mythos-loops:error:${code}`,
      status,
      code,
      title: expect.stringMatching(/\S/),
      detail: expect.stringMatching(/\S/),
      hint: expect.stringMatching(/\S/),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.text).not.toMatch(STACK);
    const { PutItem = 0, ...others } = before;
    expect(writesOf(host)).toEqual({ ...others, PutItem: PutItem + (onRecord ? 1 : 0) });
  });

  test("and afterwards everything is as it was", async () => {
    const owner = clientOf(host, host.keys.stewardKey);
    expect(await owner.all("/api/runs")).toHaveLength(1);
    expect(await owner.all("/api/memos")).toHaveLength(demoLibrary().length);
    expect(await owner.get(`/api/holds/${mine.hold}`)).toMatchObject({ open: true });
    expect(await owner.get(`/api/internal/sessions/${mine.session}`)).toMatchObject({
      status: "live",
      requestCount: 0,
      heartbeat: null,
    });
  });
});

/** An id of the same form that nothing has. */
const unknownLike = (id: string): string => id.replace(/[0-9a-f]{12}/, "0".repeat(12));

/** An answer without the id that was asked for and the id of the request. */
const shapeOf = (text: string, id: string) => ({ ...JSON.parse(text.replaceAll(id, "<id>")), requestId: "" });

describe("another owner's things are answered as unknown ones, and stay as they are", () => {
  test.each(FOREIGN_REQUESTS)("$at", async ({ kind, ...written }) => {
    const before = writesOf(host);
    const unknownId = unknownLike(another[kind]);
    const foreign = await ask(written, another);
    const unknown = await ask(written, { ...another, [kind]: unknownId });
    expect(unknownId).not.toBe(another[kind]);
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(shapeOf(foreign.text, another[kind])).toEqual(shapeOf(unknown.text, unknownId));
    expect([...foreign.headers.keys()]).toEqual([...unknown.headers.keys()]);
    expect(writesOf(host)).toEqual(before);
  });

  test("as the parent of a new session", async () => {
    const before = writesOf(host);
    const unknownId = unknownLike(another.session);
    const under = (parentSessionId: string) =>
      ask({ at: "POST /api/internal/sessions", body: { name: "x", purpose: "x", parentSessionId } }, mine);
    const foreign = await under(another.session);
    const unknown = await under(unknownId);
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(shapeOf(foreign.text, another.session)).toEqual(shapeOf(unknown.text, unknownId));
    expect(writesOf(host)).toEqual(before);
  });

  test("as the session of a request, which is answered and stamped nowhere", async () => {
    const before = writesOf(host);
    for (const sessionId of [another.session, unknownLike(another.session), "ses_", "'"]) {
      const headers = { "x-mythos-session": sessionId };
      const answer = await ask({ at: "GET /api/memos/{memo}", headers }, mine);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-mythos-session-warning")).toBe("unknown session");
    }
    expect(writesOf(host)).toEqual(before);
  });

  test("and nothing of theirs is in any list", async () => {
    const owner = clientOf(host, host.keys.stewardKey);
    const lists = ["memos", "runs", "holds", "workflows", "keys", "internal/sessions"];
    const shown = JSON.stringify(await Promise.all(lists.map((list) => owner.all(`/api/${list}`))));
    for (const id of Object.values(another)) expect(shown).not.toContain(id);
    for (const id of Object.values(mine)) expect(shown).toContain(id);
  });
});
