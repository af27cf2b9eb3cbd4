import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { asAgent, asSteward, mythos, type Ask, type Said } from "./cli-process.ts";
import { givenHost } from "./test-host.ts";

let host: Host;
let stop: () => Promise<void>;
let cwd: string;
beforeAll(async () => {
  ({ host, stop } = await givenHost());
  cwd = mkdtempSync(join(tmpdir(), "mythos-mistakes-"));
  await steward(["memos", "write", "--title", "House style"], { input: "Plain words.\n" });
});
afterAll(async () => {
  await stop();
  rmSync(cwd, { recursive: true });
});

const agent = (args: readonly string[], ask: Ask = {}) => mythos(args, { cwd, env: asAgent(host), ...ask });
const steward = (args: readonly string[], ask: Ask = {}) =>
  mythos(args, { cwd, env: asSteward(host), ...ask });
const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const parsed = <T>({ out }: Said): T => JSON.parse(out) as T;

/** A workflow whose items wait, so that nothing of it runs. */
function pausedWorkflow(command: string): string {
  const smallest = readFileSync(
    new URL("../fixtures/workflows/smallest/workflow.md", import.meta.url),
    "utf8",
  );
  return smallest
    .replace("# Case", `# ${command}`)
    .replace("`/case`", `\`${command}\``)
    .replace("- **Summary**", "- **Status** `paused`\n- **Summary**");
}

describe("a search", () => {
  test("for nothing says so instead of showing everything", async () => {
    for (const query of ["", "  "]) {
      const said = await agent(["memos", "search", query]);
      expect(said).toMatchObject({ code: 2, err: expect.stringContaining("is empty") as string });
    }
  });

  test("for what begins as an option says where to write it", async () => {
    const said = await agent(["memos", "search", "-tag:x"]);
    expect(said.code).toBe(2);
    expect(said.err).toContain("mythos memos search -- -tag:x");
    expect(await agent(["memos", "search", "--", "-tag:x"])).toMatchObject({ code: 0 });
  });
});

describe("watching a run", () => {
  test("ends at once when no such run will come", async () => {
    const unknown = `run_${"0".repeat(20)}-${"0".repeat(24)}-1`;
    for (const runId of ["nope", unknown]) {
      const said = await agent(["runs", "watch", runId, "--wait", "5m"]);
      expect(said).toMatchObject({ code: 3, err: expect.stringContaining("there is no run") as string });
    }
  });

  test("waits for one whose item waits", async () => {
    write("paused.md", pausedWorkflow("/paused"));
    expect(await steward(["memos", "import", "paused.md"])).toMatchObject({ code: 0 });
    const { runId } = parsed<{ runId: string }>(
      await agent(["enqueue", "paused", "--set", "topic=x", "--json"]),
    );
    const said = await agent(["runs", "watch", runId, "--wait", "1s"]);
    expect(said.code).toBe(10);
    expect(said.err).toMatch(/still queued after \d+ s/);
  });
});

test("a key that was used for another payload is a conflict, and says what has it", async () => {
  write("keyed.md", pausedWorkflow("/keyed"));
  await steward(["memos", "import", "keyed.md"]);
  const enqueue = (value: string, command = "enqueue") =>
    agent([command, "keyed", "--set", `topic=${value}`, "--key", "k1", "--json"]);
  const first = parsed<{ itemId: string }>(await enqueue("one"));
  expect(await enqueue("one")).toMatchObject({ code: 0 });
  for (const command of ["enqueue", "loop"]) {
    const other = await enqueue("two", command);
    expect(other.code).toBe(5);
    expect(parsed(other)).toMatchObject({
      enqueued: false,
      reason: "payload_mismatch",
      itemId: first.itemId,
    });
    expect(other.err).toContain("used for another payload");
    expect(other.err).toContain(`mythos queue show ${first.itemId}`);
  }
});

test("an import says of a workflow that it does not compile, and of a note that it was nearly one", async () => {
  write("broken.md", pausedWorkflow("/broken").replace("**Budget**", "**Bugdet**"));
  const imported = await steward(["memos", "import", "broken.md"]);
  expect(imported.code).toBe(0);
  expect(imported.out).toMatch(/^created +broken\.md +\S+ +does not compile: \d+:\d+ MW\d{3} .*Bugdet/m);
  expect(imported.err).toContain("mythos check broken.md");
  const again = await steward(["memos", "import", "broken.md", "--strict", "--json"]);
  expect(again.code).toBe(6);
  expect(parsed(again)).toMatchObject({ files: [{ outcome: "unchanged", compiles: false }] });

  write("nearly.md", "# Nearly\n\n## Trigger\n\nx\n\n## Steps\n\ny\n");
  const nearly = await steward(["memos", "import", "nearly.md", "--strict"]);
  expect(nearly).toMatchObject({
    code: 0,
    out: expect.stringContaining("it has Trigger and Steps, lacks Load Contract and Policy") as string,
  });
});

test("a round is shown by its id, and followed until it is interrupted", async () => {
  write("live.md", pausedWorkflow("/live").replace("`paused`", "`live`"));
  await steward(["memos", "import", "live.md"]);
  expect(await agent(["loop", "live", "--set", "topic=x", "--wait=1m"])).toMatchObject({ code: 8 });
  const followed = await agent(["passes", "tail", "--jsonl"], {
    interrupt: { signal: "SIGINT", after: '"passId"' },
  });
  expect(followed.code).toBe(130);
  const [line = ""] = followed.out.split("\n");
  const pass = JSON.parse(line) as { passId: string };
  expect(parsed(await agent(["passes", "show", pass.passId, "--json"]))).toEqual(pass);
  expect(await agent(["passes", "show", "pass_nobody"])).toMatchObject({ code: 3 });
});

test("a target of config.json is spoken to with its own key, and named before it is written to", async () => {
  const targets = { here: { url: host.url, keyEnv: "HERE_KEY" } };
  write("targets.json", JSON.stringify({ targets }));
  const env = {
    MYTHOS_URL: "http://127.0.0.1:9",
    MYTHOS_KEY: "of another host",
    MYTHOS_CONFIG: join(cwd, "targets.json"),
    HERE_KEY: host.keys.stewardKey,
  };
  const written = await mythos(["memos", "write", "--title", "Targeted", "--target", "here"], {
    env,
    input: "text",
  });
  expect(written).toMatchObject({ code: 0, err: `target here ${host.url}\n` });
  expect(await mythos(["memos", "show", "Targeted", "--target", "here"], { env })).toMatchObject({
    code: 0,
    err: "",
  });
  expect(await mythos(["memos", "list", "--target", "there"], { env })).toMatchObject({ code: 2 });
});

test("doctor reads the config that the host would, and refuses what it would refuse", async () => {
  write("wrong.json", '{"models":{"default":{"provider":"acme","model":"m"}}}');
  const doctor = (name: string) =>
    agent(["doctor"], { env: { ...asAgent(host), MYTHOS_CONFIG: join(cwd, name) } });
  const wrong = await doctor("wrong.json");
  expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining("✗ models") as string });
  expect(wrong.out).toContain("must be offline, bedrock, anthropic or openai-compatible");
  expect(await doctor("nowhere.json")).toMatchObject({
    code: 1,
    out: expect.stringContaining("Mend MYTHOS_CONFIG") as string,
  });
  write("offline.json", '{"models":{"default":{"provider":"offline"}}}');
  expect(await doctor("offline.json")).toMatchObject({ code: 0 });
});

test("an address that is none is told as such, and a password in it is not repeated", async () => {
  const wrong = await mythos(["loops"], { env: { MYTHOS_URL: "notaurl" } });
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('MYTHOS_URL is "notaurl"') as string });
  const secret = await mythos(["loops"], { env: { MYTHOS_URL: "http://me:hunter2@127.0.0.1:9" } });
  expect(secret.code).toBe(2);
  expect(secret.err).not.toContain("hunter2");
});

test("a reader that hangs up does not hide that there are errors", async () => {
  const broken = `# Broken\n\n## Trigger\n${"- **Comand** `/x`\n".repeat(200)}`;
  for (let n = 0; n < 5; n += 1) write(`broken-${n}.md`, broken);
  const files = Array.from({ length: 5 }, (_, n) => `broken-${n}.md`);
  const said = await mythos(["check", ...files], { cwd, hangUp: true });
  expect(said).toMatchObject({ code: 6, err: "" });
});
