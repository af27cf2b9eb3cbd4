import createClient from "openapi-fetch";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { clientOf, eventually } from "../e2e/client.ts";
import { demoLibrary, importFiles } from "../e2e/library.ts";
import { givenHost } from "../e2e/test-host.ts";
import type { paths } from "./openapi-types.d.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let host: Host;
let stop = async () => {};
beforeAll(async () => {
  ({ host, stop } = await givenHost());
  await importFiles(clientOf(host, host.keys.stewardKey), demoLibrary());
});
afterAll(() => stop());

const clientWith = (key: string) =>
  createClient<paths>({ baseUrl: host.url, headers: { authorization: `Bearer ${key}` } });

/** The body of an answer that must be a success. */
function good<T>({ data, error }: { data?: T; error?: { detail: string } }): T {
  if (data !== undefined) return data;
  throw new Error(error?.detail ?? "no body");
}

test("a client generated from the document takes an item to the memo that a person approved", async () => {
  const agent = clientWith(host.keys.agentKey);
  const person = clientWith(host.keys.stewardKey);
  const { sessionId } = good(
    await agent.POST("/api/internal/sessions", { body: { name: "generated", purpose: "Draft one memo" } }),
  );
  const { runId, enqueued } = good(
    await agent.POST("/api/workflows/{idOrCommand}/items", {
      params: { path: { idOrCommand: "draft-memo" }, header: { "x-mythos-session": sessionId } },
      body: { payload: { topic: "What is a lane, and how wide is it?" } },
    }),
  );
  expect(enqueued).toBe(true);
  const runOf = async () => good(await agent.GET("/api/runs/{id}", { params: { path: { id: runId } } }));
  const holdId = await eventually(async () => {
    const run = await runOf();
    if (run.status === "suspended" && run.holdId) return run.holdId;
    throw new Error(`the run is ${run.status}`);
  });
  const { sha256 } = good(await person.GET("/api/holds/{id}", { params: { path: { id: holdId } } }));
  const approval = { verdict: "approve", sha256 } as const;
  const decide = (client: typeof agent) =>
    client.POST("/api/holds/{id}/decision", { params: { path: { id: holdId } }, body: approval });
  const refused = await decide(agent);
  expect(refused.error).toMatchObject({ type: "urn:mythos-loops:error:scope_missing", status: 403 });
  good(await decide(person));
  const landed = await eventually(async () => {
    const run = await runOf();
    if (run.status === "done") return run["landing"] as { memoId: string };
    throw new Error(`the run is ${run.status}`);
  });
  const memo = good(await agent.GET("/api/memos/{id}", { params: { path: { id: landed.memoId } } }));
  expect(memo).toMatchObject({ memoId: landed.memoId, contentVersion: 1 });
  expect(memo.body).toMatch(/lane/i);
});
