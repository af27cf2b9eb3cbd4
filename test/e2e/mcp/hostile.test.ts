import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Host } from "../../../infra/local/host.ts";
import { AGENT_TOOLS } from "../../../lib/agent-tools/agent-tools.ts";
import type { SCOPES } from "../../../lib/core/principal.ts";
import type { TimelineEntry } from "../../../lib/sessions/timeline.ts";
import { clientOf, heldDraft, type Client, type Hold, type RunRecord, type ShownMemo } from "../client.ts";
import { demoLibrary, importFiles } from "../library.ts";
import { givenHost } from "../test-host.ts";
import { rawClient, type RawClient } from "./raw-client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const STRANGER = { uid: "stranger", ownerUid: "stranger" };
let host: Host;
let stop = async () => {};
let strangersKey: string;
let owner: Client;
let agent: RawClient;
let stranger: RawClient;

beforeAll(async () => {
  const given = await givenHost([STRANGER]);
  ({ host, stop } = given);
  strangersKey = given.keys[0]!;
  owner = clientOf(host, host.keys.stewardKey);
  await importFiles(owner, demoLibrary());
  agent = rawClient(host, host.keys.agentKey);
  stranger = rawClient(host, strangersKey);
});
afterAll(() => stop());

const textOf = ({ isError, content }: Awaited<ReturnType<RawClient["call"]>>): string => {
  expect(isError).toBe(true);
  return content[0]!.text;
};

/** A key of an agent that may do this much. */
async function keyWith(...scopes: (typeof SCOPES)[number][]): Promise<RawClient> {
  const { key } = await owner.post<{ key: string }>("/api/keys", { label: "narrow", scopes });
  return rawClient(host, key);
}

describe("what is no message", () => {
  test.each([
    ["JSON that breaks off", '{"jsonrpc":"2.0","id":1', 400, -32700],
    ["no body", "", 400, -32700],
    ["a number", "7", 400, -32600],
    ["an empty batch", "[]", 400, -32600],
    ["an object of another kind", '{"tool":"run_loop"}', 400, -32600],
  ])("%s gets an error of the protocol", async (_, body, status, code) => {
    const answer = await agent.post(body);
    expect(answer.status).toBe(status);
    expect(answer.body.error?.code).toBe(code);
  });

  test("another type is 415, and a huge body 413, before anything of it is read", async () => {
    expect((await agent.post("{}", { "content-type": "text/plain" })).status).toBe(415);
    const huge = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params: { x: "x".repeat(1_100_000) },
    });
    expect(await agent.post(huge)).toMatchObject({ status: 413, body: { code: "body_too_large" } });
    expect(await agent.post("x".repeat(1_100_000))).toMatchObject({ status: 413 });
  });

  test("a batch of 2025 is answered as a whole, each call with its own row", async () => {
    const messages = ["list_workflows", "list_runs"].map((name, id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: {} },
    }));
    const { status, body } = await agent.post(JSON.stringify(messages), { accept: "application/json" });
    expect(status).toBe(200);
    expect((body as unknown as { id: number }[]).map(({ id }) => id).toSorted()).toEqual([0, 1]);
  });

  test("no stream is held open for whoever subscribes, and none is there to GET or DELETE", async () => {
    const VERSION = "2026-07-28";
    const envelope = {
      "io.modelcontextprotocol/protocolVersion": VERSION,
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const headers = { "mcp-protocol-version": VERSION, "mcp-method": "subscriptions/listen" };
    const listen = await agent.send("subscriptions/listen", { notifications: {}, _meta: envelope }, headers);
    expect(listen.body.error?.code).toBe(-32603);
    for (const method of ["GET", "DELETE"]) {
      const answer = await fetch(`${host.url}/mcp`, { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });
});

describe("who may not", () => {
  test("without a key it is 401, which says how to get one", async () => {
    const answer = await fetch(`${host.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(await answer.json()).toMatchObject({ hint: expect.stringContaining("mythos keys create") });
  });

  test("a page of another origin is refused before its key is looked at; this host's own is not", async () => {
    const { status } = await agent.post("{}", { origin: "https://evil.example" });
    expect(status).toBe(403);
    expect((await agent.post("{}", { origin: "null" })).status).toBe(403);
    expect((await agent.send("ping", {}, { origin: host.url })).status).toBe(200);
  });

  test.each(AGENT_TOOLS.map(({ name, scope }) => [name, scope] as const))(
    "%s is refused to a key without %s, and does nothing",
    async (name, scope) => {
      const narrow = await keyWith(scope === "holds:read" ? "runs:read" : "holds:read");
      expect(textOf(await narrow.call(name, {}))).toContain(`needs the scope ${scope}`);
    },
  );

  test("a workflow memo is written with its own scope alone, as over HTTP", async () => {
    const narrow = await keyWith("memos:read", "memos:write");
    const [workflow] = (await owner.get<{ items: ShownMemo[] }>("/api/memos?type=workflow")).items;
    const body = "# Lands by itself";
    const made = await narrow.call("write_memo", { title: "Mine", body, type: "workflow" });
    expect(textOf(made)).toContain("workflows:write");
    const changed = { id: workflow!.memoId, body, expected_version: workflow!.contentVersion };
    expect(textOf(await narrow.call("write_memo", changed))).toContain("workflows:write");
  });

  test("O13, F68: no tool decides, whatever it is called and whoever it says it is", async () => {
    const { hold, runId } = await heldDraft(owner, "Decided by nobody");
    for (const name of ["decide_hold", "approve", "approve_hold", "resolve"]) {
      const answer = await agent.send("tools/call", {
        name,
        arguments: { hold: hold.holdId, verdict: "approve" },
      });
      expect(answer.body.error).toMatchObject({
        code: -32602,
        message: expect.stringContaining("There is no tool"),
      });
    }
    const forged = { run_or_item: runId, decidedBy: "human:owner", verdict: "approve" };
    expect(textOf(await agent.call("get_run", forged))).toMatch(
      /decidedBy is not known.*verdict is not known/,
    );
    const shown = (await agent.call("get_run", { run_or_item: hold.holdId })).structuredContent!;
    expect(shown).toMatchObject({
      state: "held",
      hold: { id: hold.holdId },
      next: expect.stringContaining("person"),
    });
    expect((await owner.get<Hold>(`/api/holds/${hold.holdId}`)).decision ?? null).toBeNull();
  });

  test("O13: the list of runs is the API's, and another owner's is empty", async () => {
    const mine = (await owner.get<{ items: RunRecord[] }>("/api/runs")).items.map(({ runId }) => runId);
    const { runs } = (await agent.call("list_runs", { limit: 50 })).structuredContent as {
      runs: { run: string }[];
    };
    expect(runs.map(({ run }) => run)).toEqual(mine);
    expect((await stranger.call("list_runs")).structuredContent).toEqual({ runs: [], cursor: null });
  });

  test("pages of runs follow one another until the last", async () => {
    await heldDraft(owner, "One more for a page");
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await agent.call("list_runs", { limit: 1, ...(cursor && { cursor }) });
      const { runs, cursor: next } = page.structuredContent as {
        runs: { run: string }[];
        cursor: string | null;
      };
      seen.push(...runs.map(({ run }) => run));
      cursor = next ?? undefined;
    } while (cursor);
    const mine = (await owner.get<{ items: RunRecord[] }>("/api/runs")).items.map(({ runId }) => runId);
    expect(seen).toEqual(mine);
  });
});

test("another owner's ids are answered as unknown ones, word for word", async () => {
  const { runId, itemId } = await heldDraft(owner, "Not theirs");
  const memo = await owner.post<ShownMemo>("/api/memos", { title: "Not theirs", body: "Secret." });
  const { sessionId } = await owner.post<{ sessionId: string }>("/api/internal/sessions", {
    name: "x",
    purpose: "x",
  });
  const [workflow] = (await owner.get<{ items: ShownMemo[] }>("/api/memos?type=workflow")).items;
  const calls: [string, string, (id: string) => Record<string, unknown>][] = [
    ["get_run", runId, (id) => ({ run_or_item: id })],
    ["get_run", itemId, (id) => ({ run_or_item: id })],
    ["cancel_run", runId, (id) => ({ run: id, reason: "x" })],
    ["cancel_run", itemId, (id) => ({ run: id, reason: "x" })],
    ["list_runs", runId, (id) => ({ cursor: id })],
    ["read_memo", memo.memoId, (id) => ({ id })],
    ["write_memo", memo.memoId, (id) => ({ id, body: "x", expected_version: 1 })],
    ["run_loop", workflow!.memoId, (id) => ({ command: id })],
    ["touch_session", sessionId, (id) => ({ session: id })],
  ];
  for (const [name, theirs, given] of calls) {
    const unknown = theirs.replace(/[0-9a-f]{4}(?=[^0-9a-f]*$|-\d+$)/, "0000");
    expect(unknown).not.toBe(theirs);
    const answers = await Promise.all(
      [theirs, unknown].map(async (id) => textOf(await stranger.call(name, given(id))).replaceAll(id, "ID")),
    );
    expect([name, answers[0]]).toEqual([name, answers[1]]);
  }
  expect(textOf(await stranger.call("read_memo", { id: "Not theirs" }))).toContain("no memo");
  expect((await stranger.call("search_memos", { query: "Secret" })).structuredContent).toMatchObject({
    hits: [],
  });
  expect((await owner.get<RunRecord>(`/api/runs/${runId}`)).status).toBe("suspended");
});

test("arguments of the wrong form are told with each place, and prototype keys are texts like others", async () => {
  const bad = await agent.call("run_loop", { topic: "x", wait_seconds: 21 });
  expect(textOf(bad)).toMatch(/command: .*wait_seconds: .*topic is not known.*It takes command, payload/s);
  const missing = await agent.call("run_loop", { command: "draft-memo", payload: {} });
  expect(textOf(missing)).toMatch(/topic.*its inputs are topic \(string, required\)/s);
  expect(textOf(await agent.call("run_loop", { command: "no-such" }))).toContain("list_workflows");
  expect(textOf(await agent.call("search_memos", { query: "status:open" }))).toContain(
    "Memos have no status",
  );
  expect(textOf(await agent.call("list_runs", { since: "yesterday" }))).toContain("ISO time");
  expect(textOf(await agent.call("write_memo", { title: "x" }))).toContain("needs title and body");
  for (const name of ["__proto__", "constructor", "hasOwnProperty"]) {
    expect((await agent.send("tools/call", { name, arguments: {} })).body.error?.code).toBe(-32602);
  }
  for (const key of ["__proto__", "constructor"]) {
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_loop","arguments":{"command":"/draft-memo","payload":{"topic":"x","${key}":{"polluted":true}},"${key}":1}}}`;
    const { status } = await agent.post(call);
    expect(status).toBeLessThan(500);
  }
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  const deep = `${'{"a":'.repeat(30_000)}1${"}".repeat(30_000)}`;
  const nested = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_loop","arguments":{"command":"/draft-memo","payload":${deep}}}}`;
  expect((await agent.post(nested)).status).toBeLessThan(500);
});

test("a session is tracking: another owner's, an ended and an unknown one are told of, and the call is on record", async () => {
  const began = await agent.call("touch_session", { purpose: "Being told" });
  const session = began.structuredContent!["session"] as string;
  await owner.post(`/api/internal/sessions/${session}/end`, {});
  const inHeader = rawClient(host, host.keys.agentKey, { "x-mythos-session": session });
  const answer = await inHeader.call("list_runs", { limit: 1 });
  expect(answer.content[0]!.text).toMatch(/has ended; this is recorded in ses_/);
  const elsewhere = /recorded in (ses_\w+)/.exec(answer.content[0]!.text)![1]!;
  const { items } = await owner.get<{ items: TimelineEntry[] }>(
    `/api/internal/sessions/${elsewhere}/timeline`,
  );
  expect(JSON.stringify(items)).toContain('"list_runs"');
  expect(await owner.get(`/api/internal/sessions/${elsewhere}`)).toMatchObject({ origin: "implicit" });
  expect(textOf(await stranger.call("touch_session", { session }))).toContain("is unknown");
});
