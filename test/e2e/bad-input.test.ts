import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { FUNCTIONS, type FunctionDeclaration } from "../../infra/topology.ts";
import { BAD_REQUESTS, BRIEF, requestOf, type Ids, type Written } from "./bad-requests.ts";
import { clientOf, heldDraft, problemOf, send, type Client, type MemoEntry } from "./client.ts";
import { demoLibrary, importFiles } from "./library.ts";
import { givenHost, untilQuiet, writesOf } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let stop = async () => {};
let host: Host;
let mine: Ids;

beforeAll(async () => {
  ({ host, stop } = await givenHost());
  mine = await givenWork(clientOf(host, host.keys.stewardKey), clientOf(host, host.keys.agentKey));
  await untilQuiet(host);
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

const ask = (written: Written, ids: Ids) => send(host, requestOf(written, host.keys.stewardKey, ids));

const WITH_ID = Object.values<FunctionDeclaration>(FUNCTIONS)
  .flatMap(({ routes }) => routes ?? [])
  .filter(({ path }) => path.includes("{") && !path.startsWith("/steward"))
  .map(({ method, path }) => `${method} ${path}`);

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

  test.each(WITH_ID)("an id that is longer than any key of a store: %s", async (at) => {
    const before = writesOf(host);
    const [method] = at.split(" ");
    const body = method === "GET" || method === "DELETE" ? {} : { body: {} };
    const answer = await ask({ at: at.replaceAll(/\{\w+\}/g, "x".repeat(5000)), ...body }, mine);
    expect(problemOf(answer)).toMatchObject({ status: 400, code: "invalid_request" });
    expect(problemOf(answer)).toMatchObject({
      failing: [
        { pointer: expect.stringMatching(/^\/path\/\w+$/), message: expect.stringContaining("5000") },
      ],
    });
    expect(writesOf(host)).toEqual(before);
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
