import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Host } from "../../../infra/local/host.ts";
import { LISTED_TOOLS } from "../../../lib/agent-tools/listed-tool.ts";
import { clientOf } from "../client.ts";
import { demoLibrary, importFiles } from "../library.ts";
import { givenHost } from "../test-host.ts";
import { rawClient, type ToolResult } from "./raw-client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let host: Host;
let stop = async () => {};

beforeAll(async () => {
  ({ host, stop } = await givenHost());
  await importFiles(clientOf(host, host.keys.stewardKey), demoLibrary());
});
afterAll(() => stop());

type Caller = {
  tools(): Promise<{ name: string; outputSchema?: unknown }[]>;
  call(name: string, given?: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
};

/** The official client: of itself it speaks as in 2025, and of the newer era when it may ask. */
async function official(mode: "legacy" | "auto"): Promise<Caller & { era: string | undefined }> {
  const client = new Client({ name: "official", version: "1" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${host.keys.agentKey}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${host.url}/mcp`), { requestInit: { headers } }),
  );
  return {
    era: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, given = {}) => (await client.callTool({ name, arguments: given })) as ToolResult,
    close: () => client.close(),
  };
}

async function raw(): Promise<Caller> {
  const client = rawClient(host, host.keys.agentKey);
  await client.initialize();
  expect((await client.notify("notifications/initialized")).status).toBe(202);
  return {
    tools: async () => (await client.send("tools/list")).body.result?.["tools"] as { name: string }[],
    call: client.call,
    close: async () => {},
  };
}

const ajv = new Ajv2020({ strict: false });
const OUTPUTS = new Map(LISTED_TOOLS.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema)]));

/** A success as its tool says it looks: one short sentence, and a value of the listed form. */
function valueOf(name: string, { isError, content, structuredContent }: ToolResult): Record<string, unknown> {
  if (isError) throw new Error(`${name}: ${content[0]?.text}`);
  expect(content).toHaveLength(1);
  expect(content[0]!.text.length).toBeLessThan(300);
  const isOfForm = OUTPUTS.get(name)!;
  if (!isOfForm(structuredContent)) throw new Error(`${name}: ${ajv.errorsText(isOfForm.errors)}`);
  return structuredContent!;
}

/** A refusal is a text that says what to do next, and nothing beside it. */
function refusal({ isError, content, structuredContent }: ToolResult): string {
  expect(isError).toBe(true);
  expect(structuredContent).toBeUndefined();
  return content[0]!.text;
}

describe.each([
  ["the official client of the 2025 era", () => official("legacy")],
  ["the official client of the newer era", () => official("auto")],
  ["a client of 2025 without a library", raw],
])("%s", (who, connect) => {
  test("lists, runs, polls, cancels, searches, reads, writes with a version, and is told of a conflict", async () => {
    const client = await connect();
    const call = async (name: string, given?: Record<string, unknown>) =>
      valueOf(name, await client.call(name, given));

    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual(LISTED_TOOLS.map(({ name }) => name));
    const { workflows } = await call("list_workflows", { query: "draft" });
    expect(workflows).toContainEqual(
      expect.objectContaining({ command: "/draft-memo", destination: "memo" }),
    );

    const topic = `Nulls in psql, ${who}`;
    const started = await call("run_loop", { command: "/draft-memo", payload: { topic }, wait_seconds: 20 });
    expect(started).toMatchObject({ state: "held", enqueued: true, next: expect.stringContaining("person") });
    const shown = await call("get_run", { run_or_item: started["item"], detail: "steps", wait_seconds: 20 });
    expect(shown).toMatchObject({
      state: "held",
      hold: { kind: "output" },
      output: { text: expect.any(String) },
    });
    const { runs } = await call("list_runs", { command: "draft-memo", state: "held", since: "1h" });
    expect(runs).toEqual(
      expect.arrayContaining([expect.objectContaining({ run: started["run"], state: "held" })]),
    );
    const cancelled = await call("cancel_run", { run: started["run"], reason: "The test is over" });
    expect(cancelled).toMatchObject({ state: "cancelled" });
    expect(await call("get_run", { run_or_item: started["run"] })).toMatchObject({ state: "cancelled" });

    const title = `Show nulls in psql (${who})`;
    const text = { title, body: "Use \\pset null to show them.", tags: ["psql"] };
    const written = await call("write_memo", text);
    expect(written).toMatchObject({ version: 1 });
    expect(await call("write_memo", text), "the same again is the same memo").toEqual(written);
    const { hits } = await call("search_memos", { query: "pset null", tags: ["psql"] });
    expect(hits).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: written["id"], version: 1 })]),
    );
    const read = await call("read_memo", { id: title });
    expect(read).toMatchObject({ id: written["id"], body: text.body, version: 1, truncated: false });
    const body = "Use \\pset null '∅'.";
    const change = { id: written["id"], body, expected_version: 1 };
    expect(await call("write_memo", change)).toMatchObject({ version: 2 });
    expect(refusal(await client.call("write_memo", change))).toMatch(/at version 2, not at 1.*read_memo/);
    expect(await call("read_memo", { id: written["id"] })).toMatchObject({ body, version: 2 });

    const touched = await call("touch_session", { purpose: `Try ${who}` });
    expect(await call("touch_session", { session: touched["session"], note: "half way" })).toEqual({
      ...touched,
      requests: 2,
    });
    await client.close();
  });
});

test("the official client finds the newer era when it asks", async () => {
  const client = await official("auto");
  expect(client.era).toBe("2026-07-28");
  await client.close();
});
