import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const LOCAL = join(import.meta.dirname, "../../../infra/local");

let dataDir = "";
const children: ChildProcess[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "main-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  rmSync(dataDir, { recursive: true });
});

/** A script of the local host in a process of its own, and what it has said so far. */
function run(script: string, args: string[] = [], settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(LOCAL, script), ...args], {
    env: { ...process.env, MYTHOS_DATA: dataDir, PORT: "0", ...settings },
  });
  children.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  const ended = once(child, "exit").then(([code]) => code as number | null);
  return { child, ended, said: () => said };
}

async function startHost() {
  const host = run("main.ts");
  await expect
    .poll(host.said, { timeout: 90_000, interval: 50 })
    .toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
  const url = /^ready (.*)$/m.exec(host.said())![1]!;
  const { stewardKey } = JSON.parse(readFileSync(join(dataDir, "keys.json"), "utf8")) as {
    stewardKey: string;
  };
  const get = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${stewardKey}` } });
    expect(response.status).toBe(200);
    return (await response.json()) as { items: { runId: string; holdId: string; status: string }[] };
  };
  return { ...host, get };
}

test(
  "the first start leaves a draft waiting, and neither a kill nor a restart loses or doubles it",
  { timeout: 300_000 },
  async () => {
    const first = await startHost();
    expect(first.said()).toMatch(/A draft is waiting for you.*\n(.*\n)*ready [^\n]*\n$/);
    expect(first.said().match(/npm run approve/g)).toHaveLength(1);
    const { items: waiting } = await first.get("/api/holds");
    expect(waiting).toHaveLength(1);

    const second = run("main.ts");
    expect(await second.ended).toBe(1);
    expect(second.said()).toContain(`process ${first.child.pid} already uses the data folder ${dataDir}`);

    first.child.kill("SIGKILL");
    await first.ended;
    const again = await startHost();
    expect(again.said()).not.toContain("Imported");
    expect((await again.get("/api/holds")).items).toEqual(waiting);
    expect((await again.get("/api/runs")).items).toHaveLength(1);

    expect(again.said().match(/npm run approve/g)).toHaveLength(1);

    const unread = run("approve.ts");
    unread.child.stdout.destroy();
    expect(await unread.ended).toBe(1);
    expect(unread.said()).toBe("not approved: what was shown was not read to its end\n");

    const approve = run("approve.ts", ["--yes"]);
    expect(await approve.ended).toBe(0);
    expect(approve.said()).toMatch(/Approved\.\nLanded/);
    expect((await again.get("/api/holds")).items).toEqual([]);
    expect((await again.get("/api/runs")).items).toMatchObject([{ status: "done" }]);

    again.child.kill("SIGTERM");
    expect(await again.ended).toBe(0);
    expect(existsSync(join(dataDir, "lock"))).toBe(false);
  },
);

test("a setting that cannot be read is named, with what was expected", { timeout: 60_000 }, async () => {
  process.env["MYTHOS_EVERY"] = "often";
  const host = run("main.ts");
  delete process.env["MYTHOS_EVERY"];
  expect(await host.ended).toBe(1);
  expect(host.said()).toContain('MYTHOS_EVERY is "often"; expected a duration such as 10s or 5m');
});

test("a port is a number in digits", { timeout: 60_000 }, async () => {
  for (const port of ["4747x", "1e3", "65536"]) {
    const host = run("main.ts", [], { PORT: port });
    expect(await host.ended).toBe(1);
    expect(host.said()).toContain(`PORT is "${port}"; expected a number from 0 to 65535`);
  }
});

test("approving without a running host says how to start one", { timeout: 60_000 }, async () => {
  const approve = run("approve.ts", ["--yes"]);
  expect(await approve.ended).toBe(1);
  expect(approve.said()).toContain("start it with npm start");
});
