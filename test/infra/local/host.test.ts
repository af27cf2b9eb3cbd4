import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startHost, type Host } from "../../../infra/local/host.ts";
import { DECLARED } from "./fixtures/declared.ts";

let dataDir = "";
const started: Host[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "host-"));
});
afterEach(async () => {
  for (const host of started.splice(0)) await host.stop();
  rmSync(dataDir, { recursive: true });
});

async function start(options: { everyMs?: number } = {}) {
  const host = await startHost({ dataDir, port: 0, quiet: true, ...options }, DECLARED);
  started.push(host);
  const ask = (method: string, path: string, body?: string) =>
    fetch(`${host.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${host.keys.agentKey}`, "content-type": "application/json" },
      ...(body !== undefined && { body }),
    });
  const noteOf = async (lane: string) => {
    const response = await ask("GET", `/notes/${encodeURIComponent(lane)}`);
    return ((await response.json()) as { note?: string }).note;
  };
  return { host, ask, noteOf };
}

const within = { timeout: 10_000, interval: 20 };

test(
  "a request reaches the store, and a doorbell the function behind the queue",
  { timeout: 20_000 },
  async () => {
    const { ask, noteOf } = await start();
    expect((await ask("POST", "/bell", "rung")).status).toBe(202);
    await expect.poll(() => noteOf("rung"), within).toBe("after 1 of 1");
    expect((await ask("GET", "/notes/never")).status).toBe(404);
  },
);

test("a message that failed, or whose function crashed, comes again", { timeout: 30_000 }, async () => {
  const { ask, noteOf } = await start();
  await ask("POST", "/bell", "fail once");
  await ask("POST", "/bell", "crash once");
  await expect.poll(() => noteOf("fail once"), within).toMatch(/^after [23] /);
  await expect.poll(() => noteOf("crash once"), within).toMatch(/^after [23] /);
});

test("everything is there after a restart, the keys too", { timeout: 30_000 }, async () => {
  const first = await start();
  await first.ask("POST", "/bell", "kept");
  await expect.poll(() => first.noteOf("kept"), within).toBe("after 1 of 1");
  await started.pop()?.stop();

  const second = await start();
  expect(second.host.keys).toEqual(first.host.keys);
  expect(await second.noteOf("kept")).toBe("after 1 of 1");
});

test("keys and the pepper are files that only this account reads", { timeout: 20_000 }, async () => {
  const { host } = await start();
  for (const name of ["keys.json", "pepper"]) {
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  }
  expect(JSON.parse(readFileSync(join(dataDir, "keys.json"), "utf8"))).toEqual(host.keys);
  expect(Object.keys(host.keys)).toEqual(["agentKey", "stewardKey", "internalKey"]);
});

test(
  "a second host on the same folder is refused by the number of the first",
  { timeout: 20_000 },
  async () => {
    await start();
    await expect(start()).rejects.toThrow(`process ${process.pid} already uses the data folder ${dataDir}`);
  },
);

test(
  "functions can be invoked by name, and calls to the engines are counted",
  { timeout: 20_000 },
  async () => {
    const { host, noteOf } = await start();
    host.resetCounts();
    const event = { "detail-type": "Scheduled Event", id: "by-hand" };
    expect(await host.invoke("scheduleFirst", event)).toEqual({ ok: true, payload: "null" });
    expect(await noteOf("fired#scheduleFirst#by-hand")).toBe("scheduleFirst");
    const { dynamodb } = host.counts();
    expect(dynamodb).toMatchObject({ GetItem: 1 });
    expect(dynamodb["PutItem"]).toBeGreaterThanOrEqual(1);
    await expect(host.invoke("nobody", {})).rejects.toThrow("no function is named nobody");
  },
);

test("what a function prints is in its own log", { timeout: 20_000 }, async () => {
  const { host } = await start();
  expect(await host.invoke("web", { rawPath: "/", routeKey: "GET /notes/{lane}" })).toMatchObject({
    ok: false,
  });
  await expect
    .poll(() => readFileSync(join(dataDir, "logs", "web.log"), { encoding: "utf8", flag: "a+" }), within)
    .toContain("ValidationException");
});
