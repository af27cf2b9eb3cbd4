import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { FUNCTIONS, type FunctionDeclaration } from "../../infra/topology.ts";
import type { Notice } from "../../lib/notices/notice.ts";
import { PLAIN_WORKFLOW } from "../support/loop.ts";
import { requestOf, type Written } from "./bad-requests.ts";
import {
  clientOf,
  runThatIs,
  send,
  type Client,
  type Enqueued,
  type Hold,
  type ShownMemo,
} from "./client.ts";
import { importFiles } from "./library.ts";
import { givenHost, untilQuiet, writesOf } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

type Kind = "memo" | "workflow" | "command" | "session" | "item" | "run" | "hold" | "notice" | "key" | "edge";
/** `ended` names the item and the run that have failed, instead of those that are held. */
type Foreign = Omit<Written, "at"> & { kind: Kind; ended?: true; query?: string };

const SHA = `sha256:${"0".repeat(64)}`;
const OF_VERSION_1 = { "if-match": '"1"' };
const BRIEF = { payload: { topic: "Not yours" } };

/** Each route with an id in its path, by requests that are right in form for whoever owns what it names. */
const FOREIGN: Record<string, readonly [Foreign, ...Foreign[]]> = {
  "GET /api/internal/sessions/{id}": [{ kind: "session" }],
  "GET /api/internal/sessions/{id}/timeline": [{ kind: "session" }],
  "POST /api/internal/sessions/{id}/heartbeat": [{ kind: "session", body: {} }],
  "POST /api/internal/sessions/{id}/end": [{ kind: "session", body: {} }],
  "GET /api/memos/{id}": [{ kind: "memo" }],
  "PUT /api/memos/{id}": [{ kind: "memo", body: { title: "x" }, headers: OF_VERSION_1 }],
  "DELETE /api/memos/{id}": [{ kind: "memo", headers: OF_VERSION_1 }],
  "GET /api/memos/{id}/versions": [{ kind: "memo" }],
  "GET /api/memos/{id}/versions/{n}": [{ kind: "memo" }],
  "GET /api/workflows/{idOrCommand}": [{ kind: "workflow" }, { kind: "memo" }, { kind: "command" }],
  "POST /api/workflows/{idOrCommand}/items": [
    { kind: "workflow", body: BRIEF },
    { kind: "memo", body: BRIEF },
    { kind: "command", body: BRIEF },
  ],
  "GET /api/items/{id}": [{ kind: "item" }, { kind: "item", ended: true }],
  "POST /api/items/{id}/cancel": [{ kind: "item" }],
  "POST /api/items/{id}/requeue": [{ kind: "item", ended: true }],
  "GET /api/runs/{id}": [{ kind: "run" }, { kind: "run", ended: true }],
  "POST /api/runs/{id}/cancel": [{ kind: "run" }],
  "POST /api/runs/{id}/rerun": [{ kind: "run", ended: true }],
  "POST /api/runs/{id}/fork": [{ kind: "run", ended: true, body: { fromStep: "draft" } }],
  "GET /api/edges/{id}": [{ kind: "edge" }],
  "POST /api/edges/{id}/answer": [{ kind: "edge", body: { text: "x" } }],
  "POST /api/edges/{id}/acknowledge": [{ kind: "edge" }],
  "POST /api/edges/{id}/resolve": [{ kind: "edge" }],
  "POST /api/edges/{id}/leave": [{ kind: "edge" }],
  "GET /api/session-reports/{runId}": [{ kind: "run" }],
  "POST /api/session-reports/{runId}/nudges": [{ kind: "run", body: { sessionId: "ses_x" } }],
  "POST /api/session-reports/{runId}/disagreements": [
    { kind: "run", body: { sessionId: "ses_x", verdict: "done" } },
  ],
  "GET /api/workflows/{idOrCommand}/schedules": [{ kind: "workflow" }, { kind: "command" }],
  "PUT /api/workflows/{idOrCommand}/schedules": [
    { kind: "workflow", body: { status: "live" } },
    { kind: "command", body: { status: "live" } },
  ],
  "GET /api/holds/{id}": [{ kind: "hold" }],
  "POST /api/holds/{id}/decision": [
    { kind: "hold", body: { verdict: "approve", sha256: SHA } },
    { kind: "hold", body: { verdict: "reject", sha256: SHA, reason: "x" } },
  ],
  "POST /api/holds/{id}/take-back": [{ kind: "hold", body: { decisionId: "dec_x" } }],
  "POST /api/holds/{id}/snooze": [{ kind: "hold", body: { until: "1d" } }],
  "DELETE /api/holds/{id}/snooze": [{ kind: "hold" }],
  "POST /api/notices/{id}/read": [{ kind: "notice" }],
  "DELETE /api/keys/{id}": [{ kind: "key" }, { kind: "key", query: "?self=1" }],
};

let stop = async () => {};
let host: Host;
let key: string;
let owner: Client;
let stranger: Client;
let theirs: Record<Kind | "endedItem" | "endedRun", string>;
let sha256: string;
let memo: ShownMemo;

beforeAll(async () => {
  const given = await givenHost([{ uid: "stranger", ownerUid: "stranger" }]);
  ({ host, stop } = given);
  key = given.keys[0]!;
  owner = clientOf(host, host.keys.stewardKey);
  stranger = clientOf(host, key);
  const plain = { path: "plain.md", text: PLAIN_WORKFLOW };
  const theirOwn = PLAIN_WORKFLOW.replaceAll("Plain", "Theirs").replaceAll("/plain", "/only-theirs");
  await importFiles(owner, [plain, { path: "theirs.md", text: theirOwn }]);
  await importFiles(stranger, [plain]);
  await givenWork();
  await untilQuiet(host);
});
afterAll(() => stop());

/** One of each kind, of the owner. */
async function givenWork(): Promise<void> {
  const session = { name: "theirs", purpose: "Be there, so that others can ask for it" };
  const { sessionId } = await owner.post<{ sessionId: string }>("/api/internal/sessions", session);
  memo = await owner.post<ShownMemo>("/api/memos", { title: "Private", body: "For nobody else" });
  const { keyId } = await owner.post<{ keyId: string }>("/api/keys", { label: "theirs", scopes: [] });
  const edge = { kind: "missing_tool", subject: "calendar", question: "When is it?" };
  const { edgeId } = await owner.post<{ edgeId: string }>("/api/edges", edge);
  const enqueue = (payload: object) =>
    owner.post<Enqueued>("/api/workflows/only-theirs/items", { payload: { topic: "Theirs", ...payload } });
  const held = await enqueue({});
  const run = await runThatIs(owner, held.runId, "suspended");
  const hold = await owner.get<Hold>(`/api/holds/${run.holdId}`);
  ({ sha256 } = hold);
  const ended = await enqueue({ targetMemoId: "memo_0000" });
  await runThatIs(owner, ended.runId, "failed");
  const notices = await owner.all<Notice>("/api/notices");
  theirs = {
    memo: memo.memoId,
    workflow: run.workflowId,
    command: "only-theirs",
    session: sessionId,
    item: held.itemId,
    run: held.runId,
    hold: hold.holdId,
    notice: notices.find(({ runId }) => runId === ended.runId)?.noticeId ?? "none",
    key: keyId,
    edge: edgeId,
    endedItem: ended.itemId,
    endedRun: ended.runId,
  };
}

/** An id of the same form that nothing has. */
function unknownLike(id: string): string {
  const unknown = id === "only-theirs" ? "only-nobodys" : id.replace(/[0-9a-f]{12}/, "0".repeat(12));
  expect(unknown).not.toBe(id);
  return unknown;
}

/** An answer without the id that was asked for and the id of the request. */
const shapeOf = (text: string, id: string) => ({
  ...(JSON.parse(text.replaceAll(id, "<id>")) as object),
  requestId: "",
});

/** What the stranger is told of the owner's id and of nobody's, and whether either request wrote something. */
async function answersFor(written: (id: string) => Written, id: string) {
  const before = JSON.stringify(writesOf(host));
  const told = async (each: string) => {
    const { status, headers, text } = await send(host, requestOf(written(each), key, {}));
    return { status, headers: [...headers.keys()], body: shapeOf(text, each) };
  };
  const foreign = await told(id);
  const unknown = await told(unknownLike(id));
  return { foreign, unknown, isQuiet: JSON.stringify(writesOf(host)) === before };
}

const rows = Object.entries(FOREIGN).flatMap(([at, requests]) =>
  requests.map((request) => ({ at, ...request })),
);

describe("what is another owner's is answered as what is nobody's", () => {
  test("every route of the topology with an id in its path is asked", () => {
    const routes = Object.values<FunctionDeclaration>(FUNCTIONS).flatMap((each) => each.routes ?? []);
    const withId = routes
      .filter(({ path }) => path.includes("{") && !path.startsWith("/steward"))
      .map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(FOREIGN).toSorted()).toEqual(withId.toSorted());
  });

  test.each(rows)("$at: a $kind", async ({ at, kind, ended, query = "", body, headers }) => {
    const of = ended ? theirs[kind === "item" ? "endedItem" : "endedRun"] : theirs[kind];
    // A sha that is right would land the draft.
    const sent = JSON.parse(JSON.stringify({ body }).replaceAll(SHA, sha256)) as { body?: unknown };
    const path = (id: string) => at.replace(/\{id(?:OrCommand)?\}/, id).replace("{n}", "1") + query;
    const { foreign, unknown, isQuiet } = await answersFor(
      (id) => ({ ...sent, ...(headers && { headers }), at: path(id) }),
      of,
    );
    expect(foreign).toEqual(unknown);
    expect([foreign.status, isQuiet]).toEqual([404, true]);
  });

  test("as the parent of a session", async () => {
    const body = (parentSessionId: string) => ({ name: "x", purpose: "x", parentSessionId });
    const { foreign, unknown, isQuiet } = await answersFor(
      (id) => ({ at: "POST /api/internal/sessions", body: body(id) }),
      theirs.session,
    );
    expect(foreign).toEqual(unknown);
    expect([foreign.status, isQuiet]).toEqual([404, true]);
  });

  test.each([
    ["GET /api/holds?workflow={id}", "workflow", 200],
    ["GET /api/holds?workflow={id}", "command", 404],
    ["GET /api/items?workflow={id}", "workflow", 200],
    ["GET /api/items?workflow={id}", "command", 404],
    ["GET /api/runs?workflowId={id}", "workflow", 200],
    ["GET /api/runs?sessionId={id}", "session", 200],
  ] as const)("in a list: %s, a %s", async (at, kind, status) => {
    const { foreign, unknown, isQuiet } = await answersFor(
      (id) => ({ at: at.replace("{id}", id) }),
      theirs[kind],
    );
    expect(foreign).toEqual(unknown);
    expect([foreign.status, isQuiet]).toEqual([status, true]);
    expect(foreign.body).toMatchObject(status === 200 ? { items: [] } : { code: "workflow_not_found" });
  });

  test("among holds that are rejected together", async () => {
    const body = (holdId: string) => ({ holds: [{ holdId, sha256 }], reason: "x" });
    const { foreign, unknown, isQuiet } = await answersFor(
      (id) => ({ at: "POST /api/holds/reject", body: body(id) }),
      theirs.hold,
    );
    expect(foreign).toEqual(unknown);
    expect([foreign.status, isQuiet]).toEqual([200, true]);
  });

  test("as the session of a request, which is answered and stamped nowhere", async () => {
    const headers = (id: string) => ({ "x-mythos-session": id });
    const { foreign, unknown, isQuiet } = await answersFor(
      (id) => ({ at: "GET /api/memos", headers: headers(id) }),
      theirs.session,
    );
    expect(foreign).toEqual(unknown);
    expect([foreign.status, isQuiet]).toEqual([200, true]);
    const inTheirs = clientOf(host, key, theirs.session);
    const answer = await inTheirs.ask("POST", "/api/workflows/plain/items", {
      payload: { topic: "In theirs" },
    });
    expect(answer.headers.get("x-mythos-session-warning")).toBe("unknown session");
    const { runId, itemId } = JSON.parse(answer.text) as Enqueued;
    expect(await runThatIs(stranger, runId, "suspended")).toMatchObject({ sessionId: null });
    expect((await stranger.ask("GET", `/api/items/${itemId}`)).text).not.toContain(theirs.session);
    expect((await owner.ask("GET", `/api/internal/sessions/${theirs.session}/timeline`)).text).not.toContain(
      runId,
    );
  });

  test.each(["the target", "the source"])(
    "as %s of an item: the run ends as it does for no memo",
    async (as) => {
      const errors: unknown[] = [];
      for (const memoId of [theirs.memo, unknownLike(theirs.memo)]) {
        const source = { memoId, contentHash: memo.contentHash };
        const { runId } = await stranger.post<Enqueued>("/api/workflows/plain/items", {
          payload: { topic: as, ...(as === "the target" && { targetMemoId: memoId }) },
          ...(as === "the source" && { landing: { source }, dedupeKey: memoId }),
        });
        const run = await runThatIs(stranger, runId, "failed");
        expect(JSON.stringify(run)).not.toMatch(/Private|For nobody else/);
        errors.push({ ...run.error, message: run.error?.message.replaceAll(memoId, "<id>"), at: 0 });
      }
      expect(errors[0]).toEqual(errors[1]);
    },
  );
});

test("nothing of it is in any list, and all of it is as it was", async () => {
  const lists = [
    "memos",
    "memos?q=private",
    "runs",
    "items",
    "holds",
    "workflows",
    "keys",
    "notices",
    "audit",
    "edges",
    "session-reports",
  ];
  const shownTo = async (client: Client): Promise<string> => {
    const paths = [...lists, "internal/sessions"].map((list) => `/api/${list}`);
    return JSON.stringify(await Promise.all(paths.map((path) => client.get(path))));
  };
  const shown = await shownTo(stranger);
  const shownToOwner = await shownTo(owner);
  // The stranger has named the memo and may read what was sent.
  const { command: _command, memo: _memo, ...ids } = theirs;
  expect(shown).not.toContain("For nobody else");
  for (const id of Object.values(ids)) {
    expect(shown).not.toContain(id);
    expect(shownToOwner).toContain(id);
  }
  expect(await owner.get<Hold>(`/api/holds/${theirs.hold}`)).toMatchObject({ open: true });
  expect(await owner.get(`/api/memos/${theirs.memo}`)).toEqual(memo);
  expect(await owner.get(`/api/internal/sessions/${theirs.session}`)).toMatchObject({
    status: "live",
    requestCount: 0,
    heartbeat: null,
  });
  const notices = await owner.all<Notice>("/api/notices?state=unread");
  expect(notices.map(({ noticeId }) => noticeId)).toContain(theirs.notice);
  const keys = await owner.all<{ keyId: string; revokedAt: number | null }>("/api/keys");
  expect(keys.find(({ keyId }) => keyId === theirs.key)).toMatchObject({ revokedAt: null });
});
