import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Host } from "../../../infra/local/host.ts";
import type { TimelineEntry } from "../../../lib/sessions/timeline.ts";
import { PLAIN_WORKFLOW } from "../../support/loop.ts";
import { clientOf, type Client, type ShownItem } from "../client.ts";
import { importFiles } from "../library.ts";
import { givenHost } from "../test-host.ts";
import { rawClient, type RawClient } from "./raw-client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let host: Host;
let stop = async () => {};
let owner: Client;
let agent: RawClient;

beforeAll(async () => {
  ({ host, stop } = await givenHost());
  owner = clientOf(host, host.keys.stewardKey);
  const paused = PLAIN_WORKFLOW.replaceAll("Plain", "Paused").replaceAll("/plain", "/paused");
  await importFiles(owner, [
    { path: "plain.md", text: PLAIN_WORKFLOW },
    { path: "paused.md", text: paused.replace("`live`", "`paused`") },
  ]);
  agent = rawClient(host, host.keys.agentKey);
});
afterAll(() => stop());

const valueOf = async (name: string, given: Record<string, unknown>, client = agent) => {
  const { isError, content, structuredContent } = await client.call(name, given);
  if (isError) throw new Error(`${name}: ${content[0]?.text}`);
  return structuredContent!;
};
const itemsOf = (workflow: string) =>
  owner.get<{ items: ShownItem[] }>(`/api/items?workflow=${workflow}`).then(({ items }) => items);

test("run_loop sent five times by a confused model is one item, and each answer is the first one", async () => {
  const payload = { topic: "Once" };
  const calls = ["/plain", "plain", "/plain", "plain", "/plain"].map((command) => ({ command, payload }));
  const answers = [await valueOf("run_loop", calls[0]!)];
  answers.push(...(await Promise.all(calls.slice(1).map((given) => valueOf("run_loop", given)))));
  expect(answers.map(({ enqueued }) => enqueued)).toEqual([true, false, false, false, false]);
  expect(new Set(answers.map(({ item }) => item)).size).toBe(1);
  expect(await itemsOf("plain")).toHaveLength(1);
});

test("another session, another payload or a key of its own asks for other work; a key with another payload does not", async () => {
  const before = (await itemsOf("plain")).length;
  const { session } = await valueOf("touch_session", { purpose: "Another" });
  const payload = { topic: "Once" };
  expect(await valueOf("run_loop", { command: "/plain", payload, session })).toMatchObject({
    enqueued: true,
  });
  expect(await valueOf("run_loop", { command: "/plain", payload, key: "mine" })).toMatchObject({
    enqueued: true,
  });
  const other = await valueOf("run_loop", { command: "/plain", payload: { topic: "Other" }, key: "mine" });
  expect(other).toMatchObject({ enqueued: false, next: expect.stringContaining("another payload") });
  expect(await itemsOf("plain")).toHaveLength(before + 2);
  const { items } = await owner.get<{ items: TimelineEntry[] }>(
    `/api/internal/sessions/${String(session)}/timeline`,
  );
  expect(JSON.stringify(items)).toContain('"run_loop"');
});

test("a payload is kept as it was sent, byte for byte", async () => {
  const payload = '{ "topic": "\\u0041 lane" }';
  const given = `{"command":"/plain","key":"as sent","payload":${payload}}`;
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_loop","arguments":${given}}}`;
  expect((await agent.post(call)).status).toBe(200);
  const kept = (await itemsOf("plain")).find(({ dedupeKey }) => dedupeKey === "as sent");
  expect(kept?.payload).toBe(payload);
});

test("O46: work that does not start now is told at once with its reason, however long a wait was asked for", async () => {
  const at = Date.now();
  const given = { command: "/paused", payload: { topic: "Later" }, wait_seconds: 20 };
  const answer = await valueOf("run_loop", given);
  expect(answer).toMatchObject({ state: "waiting", enqueued: true, next: expect.stringContaining("paused") });
  expect(answer).not.toHaveProperty("run");
  expect(answer["poll_after_seconds"]).toBe(60);
  expect(Date.now() - at).toBeLessThan(15_000);
  const shown = await valueOf("get_run", { run_or_item: answer["item"] });
  expect(shown).toMatchObject({ state: "waiting", steps: [], next: expect.stringContaining("paused") });
  const cancelled = await valueOf("cancel_run", { run: answer["item"], reason: "Not needed" });
  expect(cancelled).toMatchObject({ state: "cancelled" });
});

test("200 calls at once are each answered, and each is counted on its session", async () => {
  const { session } = await valueOf("touch_session", { purpose: "Many" });
  const tracked = rawClient(host, host.keys.agentKey, { "x-mythos-session": String(session) });
  const calls = Array.from({ length: 200 }, (_, n): [string, Record<string, unknown>] => {
    if (n % 4 === 0) return ["write_memo", { title: `Memo ${n}`, body: "One of many." }];
    if (n % 4 === 1) return ["search_memos", { query: "one of many" }];
    return n % 4 === 2 ? ["list_workflows", {}] : ["list_runs", { limit: 5 }];
  });
  const answers = await Promise.all(calls.map(([name, given]) => tracked.call(name, given)));
  expect(answers.filter(({ isError }) => isError).map(({ content }) => content[0]?.text)).toEqual([]);
  const { requestCount } = await owner.get<{ requestCount: number }>(
    `/api/internal/sessions/${String(session)}`,
  );
  expect(requestCount).toBe(201);
});
