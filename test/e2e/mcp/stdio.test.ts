import { spawn } from "node:child_process";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Host } from "../../../infra/local/host.ts";
import { asAgent, mythos } from "../cli-process.ts";
import { clientOf } from "../client.ts";
import { givenHost } from "../test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const MAIN = join(import.meta.dirname, "../../../lib/cli/mythos.mjs");
let host: Host;
let stop = async () => {};
beforeAll(async () => ({ host, stop } = await givenHost()));
afterAll(() => stop());

const call = (id: number, name: string, given = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given } });

describe.each(["legacy", "auto"] as const)("the official client of the %s kind, over pipes", (mode) => {
  test("lists the tools, writes in the session of the command line, and ends cleanly", async () => {
    const owner = clientOf(host, host.keys.stewardKey);
    const named = { name: "pipes", purpose: "Be named" };
    const { sessionId } = await owner.post<{ sessionId: string }>("/api/internal/sessions", named);
    const client = new Client({ name: "pipes", version: "1" }, { versionNegotiation: { mode } });
    const env = { ...asAgent(host), MYTHOS_SESSION: sessionId, PATH: process.env["PATH"] ?? "" };
    const args = [MAIN, "mcp", "--stdio"];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }),
    );
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    const written = await client.callTool({
      name: "write_memo",
      arguments: { title: `Über Röhren, ${mode}`, body: "Zeile 1\nZeile 2\u2028" },
    });
    expect(written.structuredContent).toMatchObject({ version: 1 });
    await client.close();
    const session = await owner.get<{ requestCount: number }>(`/api/internal/sessions/${sessionId}`);
    expect(session.requestCount).toBeGreaterThan(0);
  });
});

test("what is under way at the end of the input is still answered; what is no message gets an error", async () => {
  const input = `${call(1, "list_runs")}\nnot JSON\n\n${call(2, "list_workflows")}\n${call(3, "no_such_tool")}`;
  const { code, out, err } = await mythos(["mcp", "--stdio"], { env: asAgent(host), input });
  const answers = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; error?: { code: number } });
  expect([code, err]).toEqual([0, ""]);
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual(
    expect.arrayContaining([
      [1, undefined],
      [2, undefined],
      [3, -32602],
      [null, -32700],
    ]),
  );
  expect(answers).toHaveLength(4);
});

test("a host that is away, and a key that is none, are errors of the message and not of the process", async () => {
  const away = { ...asAgent(host), MYTHOS_URL: "http://127.0.0.1:1" };
  const first = await mythos(["mcp", "--stdio"], { env: away, input: call(1, "list_runs") });
  expect(first.code).toBe(0);
  expect(JSON.parse(first.out)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining("cannot be reached") },
  });
  const keyless = { ...asAgent(host), MYTHOS_KEY: "mk_key_none" };
  const second = await mythos(["mcp", "--stdio"], { env: keyless, input: call(1, "list_runs") });
  expect(JSON.parse(second.out)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining("mythos keys create") },
  });
});

test.each(["SIGINT", "SIGTERM"] as const)("%s ends it at once and cleanly", async (signal) => {
  const child = spawn(process.execPath, [MAIN, "mcp", "--stdio"], {
    env: { ...asAgent(host), PATH: process.env["PATH"] },
  });
  child.stdin.write(`${call(1, "list_runs")}\n`);
  await new Promise((heard) => child.stdout.once("data", heard));
  const ended = new Promise((end) => child.once("close", (code, by) => end([code, by])));
  child.kill(signal);
  expect(await ended).toEqual([0, null]);
});
