import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { sha256 } from "../../lib/core/bytes.ts";
import { canonicalJson } from "../../lib/core/canonical-json.ts";
import { asAgent, asSteward, mythos, type Ask, type Said } from "./cli-process.ts";
import { clientOf, type Hold, type RunRecord } from "./client.ts";
import { givenHost } from "./test-host.ts";

let host: Host;
let stop: () => Promise<void>;
let cwd: string;
beforeAll(async () => {
  ({ host, stop } = await givenHost());
  cwd = mkdtempSync(join(tmpdir(), "mythos-cli-"));
});
afterAll(async () => {
  await stop();
  rmSync(cwd, { recursive: true });
});

const agent = (args: readonly string[], ask: Ask = {}) => mythos(args, { cwd, env: asAgent(host), ...ask });
const steward = (args: readonly string[], ask: Ask = {}) =>
  mythos(args, { cwd, env: asSteward(host), ...ask });
const file = (name: string): string => join(cwd, name);
const parsed = <T>({ out }: Said): T => JSON.parse(out) as T;

const PAYLOAD = '{"topic":"What did we decide about queues?"}';

test("a new user writes a workflow, breaks it, mends it from the messages alone, runs it and lets it land", async () => {
  const made = await mythos(["new", "/meeting-notes"], { cwd });
  expect(made).toMatchObject({ code: 0, out: "meeting-notes.md\n" });
  expect(await mythos(["check", "meeting-notes.md"], { cwd })).toMatchObject({ code: 0 });
  const whole = readFileSync(file("meeting-notes.md"), "utf8");

  // Broken three ways; what the messages say to write is what is written.
  const breaks = [
    {
      wrong: ["**Approval**", "**Aproval**"],
      said: 'Did you mean "Approval"?',
      mended: ["**Aproval**", "**Approval**"],
    },
    {
      wrong: ["`live`", "`on`"],
      said: "Use `live`, `paused`, `draft` or `staged`.",
      mended: ["`on`", "`live`"],
    },
    {
      wrong: ["{{payload.topic}} for", "{{payload.topik}} for"],
      said: 'Did you mean "topic"?',
      mended: ["topik", "topic"],
    },
  ] as const;
  for (const { wrong, said, mended } of breaks) {
    writeFileSync(file("meeting-notes.md"), whole.replace(wrong[0], wrong[1]));
    const checked = await mythos(["check", "meeting-notes.md", "--strict"], { cwd });
    expect(checked.code).toBe(6);
    expect(checked.out).toContain(said);
    const broken = readFileSync(file("meeting-notes.md"), "utf8");
    writeFileSync(file("meeting-notes.md"), broken.replace(mended[0], mended[1]));
    expect(await mythos(["check", "meeting-notes.md", "--strict"], { cwd })).toMatchObject({ code: 0 });
  }

  const library = file("library");
  mkdirSync(library);
  writeFileSync(
    join(library, "queues.md"),
    "# Queues\n\nWe decided that queues hold ids and never content.\n",
  );
  expect(await steward(["memos", "import", "library"])).toMatchObject({ code: 0 });
  expect(await steward(["memos", "import", "meeting-notes.md"])).toMatchObject({ code: 0 });

  const previewed = await agent(["preview", "meeting-notes.md", "--payload", PAYLOAD, "--json"]);
  expect(previewed.code).toBe(0);
  const { steps } = parsed<{ steps: { instructions: string; parts: { tokens?: number }[] }[] }>(previewed);

  const looped = await agent(["loop", "meeting-notes", "--payload", PAYLOAD, "--wait=2m", "--json"]);
  expect(looped.code).toBe(8);
  const run = parsed<RunRecord>(looped);
  expect(run.status).toBe("suspended");

  // The preview was exact: it has the hash of what the run showed the model.
  const [step] = steps;
  const prompt = {
    instructions: step!.instructions,
    parts: step!.parts.map(({ tokens: _tokens, ...part }) => part),
  };
  const drafted = run.steps.find(({ id }) => id === "draft");
  expect(drafted && "promptHash" in drafted && drafted.promptHash).toBe(sha256(canonicalJson(prompt)));

  const shown = await steward(["holds", "show", run.holdId!, "--json"]);
  const hold = parsed<Hold>(shown);
  const unread = await steward(["holds", "approve", run.holdId!]);
  expect(unread.code).toBe(2);
  expect(unread.err).toContain("--hash");
  const stale = await steward(["holds", "approve", run.holdId!, "--hash", `sha256:${"0".repeat(64)}`]);
  expect(stale.code).toBe(5);

  const approved = await steward([
    "holds",
    "approve",
    run.holdId!,
    "--hash",
    hold.proposal!.sha256,
    "--wait",
    "--json",
  ]);
  expect(approved.code).toBe(0);
  const again = await steward(["holds", "approve", run.holdId!, "--hash", hold.proposal!.sha256]);
  expect(again.code).toBe(5);

  const memo = await agent(["memos", "show", "What did we decide about queues?"]);
  expect(memo).toMatchObject({ code: 0, out: `${hold.proposal!.text.trimEnd()}\n` });
});

describe("check", () => {
  test("finds the broken ones among 200 files of a folder, in every format", async () => {
    const folder = file("many");
    const body = readFileSync(new URL("../fixtures/workflows/smallest/workflow.md", import.meta.url), "utf8");
    for (let n = 0; n < 200; n += 1) {
      const inside = join(folder, `area-${n % 8}`);
      mkdirSync(inside, { recursive: true });
      const own = body.replace("`/case`", `\`/case-${n}\``);
      writeFileSync(
        join(inside, `case-${n}.md`),
        n % 50 === 7 ? own.replace("**Budget**", "**Bugdet**") : own,
      );
    }
    writeFileSync(join(folder, "README.md"), "# Not a workflow\n");
    const checked = await mythos(["check", "many"], { cwd });
    expect(checked.code).toBe(6);
    expect(checked.out).toContain("4 errors, 0 warnings in 200 files");
    const lines = (await mythos(["check", "many", "--format", "github"], { cwd })).out.trim().split("\n");
    expect(lines.filter((line) => line.startsWith("::error file=many/"))).toHaveLength(4);
    const sarif = parsed<{ runs: { results: unknown[] }[] }>(
      await mythos(["check", "many", "-f", "sarif"], { cwd }),
    );
    expect(sarif.runs[0]?.results).toHaveLength(4);
    expect(
      parsed<{ files: unknown[] }>(await mythos(["check", "many", "--json"], { cwd })).files,
    ).toHaveLength(200);
  });

  test("online also knows what is in the library", async () => {
    const text = readFileSync(new URL("../fixtures/workflows/smallest/workflow.md", import.meta.url), "utf8");
    writeFileSync(file("online.md"), text.replace("[[House style]]", "[[Nobody wrote this]]"));
    expect(await agent(["check", "online.md"])).toMatchObject({ code: 0 });
    const online = await agent(["check", "online.md", "--online"]);
    expect(online.code).toBe(6);
    expect(online.out).toContain("MW210");
  });

  test("watches until it is interrupted, and then ends with 130", async () => {
    writeFileSync(file("watched.md"), "# Broken\n\n## Trigger\n");
    const interrupt = { signal: "SIGINT", after: "Watching for changes." } as const;
    const watched = await mythos(["check", "watched.md", "--watch"], { cwd, interrupt });
    expect(watched.code).toBe(130);
    expect(watched.err).toMatch(/\[\d\d:\d\d:\d\d\] Checking …\n/);
    expect(watched.out).toMatch(/^watched\.md:\d+:\d+ {2}error MW001/m);
  });
});

describe("exit codes", () => {
  test.each([
    [["--version"], 0],
    [["memos", "list", "--help"], 0],
    [["chek"], 2],
    [["check", "--frmat"], 2],
    [["check"], 2],
    [["loop", "meeting-notes", "--payload", "no json"], 2],
    [["check", "no-such-file.md"], 3],
    [["memos", "show", "memo_nobody"], 3],
    [["runs", "show", "run_nobody"], 3],
    [["loop", "no-such-command"], 3],
    [["explain", "MW999"], 3],
    [["new", "/meeting-notes"], 5],
    [["runs", "cancel", "run_nobody"], 2],
    [["memos", "write", "--title", "x", "--base", "9", "Queues"], 5],
  ] as const)("mythos %j ends with %i", async (args, code) => {
    const said = await steward(args, { input: "text" });
    expect({ code: said.code, err: said.err }).toMatchObject({ code });
  });

  test("a wrong key is not allowed, and a host that is not there says so", async () => {
    const wrong = await mythos(["loops"], { env: { MYTHOS_URL: host.url, MYTHOS_KEY: "mk_nobody_x" } });
    expect(wrong.code).toBe(4);
    const decides = await agent(["holds", "approve", "hold_x", "--hash", "0".repeat(64)]);
    expect(decides.code).toBe(4);
    const nowhere = await mythos(["loops"], { env: { MYTHOS_URL: "http://127.0.0.1:9", MYTHOS_KEY: "k" } });
    expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining("npm start") as string });
  });

  test("what does not come in time is a time-out, and the item waits", async () => {
    const paused = readFileSync(file("meeting-notes.md"), "utf8")
      .replace("`live`", "`paused`")
      .replace("`/meeting-notes`", "`/paused-notes`")
      .replace("# Meeting notes", "# Paused notes");
    writeFileSync(file("paused-notes.md"), paused);
    await steward(["memos", "import", "paused-notes.md"]);
    const looped = await agent(["loop", "paused-notes", "--payload", PAYLOAD, "--wait", "1s"]);
    expect(looped).toMatchObject({ code: 10, err: expect.stringContaining("Waits    paused") as string });
    const queue = parsed<{ items: { status: string }[] }>(
      await agent(["queue", "list", "--workflow", "paused-notes", "--status", "pending", "--json"]),
    );
    expect(queue.items).toHaveLength(1);
    const listed = await agent(["loops"]);
    expect(listed.out).toContain("/meeting-notes");
    expect(listed.out).not.toContain("/paused-notes");
  });

  test("a rejection needs its reason and ends the run", async () => {
    const looped = await agent(["loop", "meeting-notes", "--set", "topic=Another topic", "--wait", "--json"]);
    expect(looped.code).toBe(8);
    const { holdId, runId } = parsed<RunRecord>(looped);
    expect(await steward(["holds", "reject", holdId!])).toMatchObject({ code: 2 });
    expect(await steward(["holds", "reject", holdId!, "-m", "not needed"])).toMatchObject({ code: 0 });
    const watched = await agent(["runs", "watch", runId, "--wait", "1m"]);
    expect(watched.code).toBe(7);
  });

  test("a reader that hangs up is no failure", async () => {
    const said = await mythos(["explain", "--json"], { hangUp: true });
    expect(said).toMatchObject({ code: 0, err: "" });
  });
});

describe("the library", () => {
  test("comes back as it was after an export and an import", async () => {
    const before = parsed<{ items: { contentVersion: number }[] }>(await agent(["memos", "list", "--json"]));
    expect(await agent(["memos", "export", "backup"])).toMatchObject({ code: 0 });
    expect(readdirSync(file("backup"))).toHaveLength(before.items.length);
    const whole = parsed<{ files: { outcome: string }[] }>(
      await steward(["memos", "import", "backup", "--json"]),
    );
    expect(new Set(whole.files.map(({ outcome }) => outcome))).toEqual(new Set(["unchanged"]));
    const clash = file(join("backup", "queues.md"));
    writeFileSync(clash, `${readFileSync(clash, "utf8")}more\n`);
    expect(await agent(["memos", "export", "backup"])).toMatchObject({ code: 5 });
    const imported = await steward(["memos", "import", "backup"]);
    expect(imported).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^updated {2}queues\.md/) as string,
    });
    expect((await agent(["memos", "show", "Queues"])).out).toMatch(/more\n$/);
  });

  test("shows what a memo was and what has changed in it", async () => {
    const written = parsed<{ memoId: string }>(
      await steward(["memos", "write", "--title", "Changing", "--json"], { input: "one\ntwo\n" }),
    );
    await steward(["memos", "write", written.memoId], { input: "one\nthree\n" });
    const history = await agent(["memos", "history", "Changing", "--json"]);
    expect(
      parsed<{ items: { contentVersion: number }[] }>(history).items.map((v) => v.contentVersion),
    ).toEqual([2, 1]);
    expect((await agent(["memos", "diff", "Changing", "1", "2"])).out).toBe(
      "Changing: v1 → v2, +1 −1\n  one\n- two\n+ three\n",
    );
    expect((await agent(["memos", "show", "Changing", "--at", "1"])).out).toBe("one\ntwo\n");
    expect(await agent(["memos", "diff", "Changing", "1", "9"])).toMatchObject({ code: 3 });
  });
});

describe("operating", () => {
  test("a round that did something leaves a report, an idle one leaves none", async () => {
    const ran = await agent(["pass", "--json"]);
    expect(ran.code).toBe(0);
    const passes = async () =>
      parsed<{ items: { passId: string; round: string; started: number }[] }>(
        await agent(["passes", "list", "--limit", "100", "--json"]),
      ).items;
    const before = await passes();
    expect(before.some(({ started }) => started > 0)).toBe(true);
    await agent(["pass"]);
    expect((await passes()).map(({ passId }) => passId)).toEqual(before.map(({ passId }) => passId));
  });

  test("doctor finds the host well, and says what to do where there is none", async () => {
    expect(await steward(["doctor"])).toMatchObject({ code: 0 });
    const empty = await mythos(["doctor"], { env: { MYTHOS_DATA: file("nothing") } });
    expect(empty).toMatchObject({ code: 1, out: expect.stringContaining("npm start") as string });
  });

  test("a session is started, seen on what it did, and ended", async () => {
    const started = await agent(["sessions", "start", "--purpose", "Try the command line"]);
    const sessionId = started.out.trim();
    const env = { ...asAgent(host), MYTHOS_SESSION: sessionId };
    const enqueued = await mythos(["enqueue", "meeting-notes", "--payload", PAYLOAD, "--json"], { env });
    expect(parsed<{ enqueued: boolean }>(enqueued)).toMatchObject({ enqueued: false });
    const shown = await agent(["sessions", "show", sessionId]);
    expect(shown.out).toContain("POST /api/workflows/{idOrCommand}/items");
    expect(await agent(["sessions", "end", sessionId])).toMatchObject({ code: 0 });
  });

  test("finds host and keys in a data folder, and never sends them to another host", async () => {
    const data = file("data");
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, "address"), host.url);
    writeFileSync(join(data, "keys.json"), JSON.stringify(host.keys));
    expect(await mythos(["holds", "list"], { env: { MYTHOS_DATA: data } })).toMatchObject({ code: 0 });
    const other = await mythos(["holds", "list"], {
      env: { MYTHOS_DATA: data, MYTHOS_URL: "http://127.0.0.1:9" },
    });
    expect(other).toMatchObject({ code: 4, err: expect.stringContaining("no key") as string });
  });
});

describe("streams", () => {
  test("without a terminal there is no colour and nothing but data on stdout", async () => {
    const listed = await agent(["memos", "list", "--json"]);
    expect(listed.err).toBe("");
    expect(JSON.parse(listed.out)).toHaveProperty("items");
    const forced = await mythos(["explain", "MW401"], { env: { FORCE_COLOR: "1" } });
    expect(forced.out).toContain("\u001B[");
    const off = await mythos(["explain", "MW401"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } });
    expect(off.out).not.toContain("\u001B[");
  });

  test("MYTHOS_OUTPUT=json is --json", async () => {
    const said = await mythos(["explain", "MW401"], { env: { MYTHOS_OUTPUT: "json" } });
    expect(JSON.parse(said.out)).toMatchObject({ code: "MW401" });
  });

  test("completion offers commands and options", async () => {
    expect((await mythos(["completion", "bash"])).out).toContain("mythos complete --");
    expect((await mythos(["completion", "powershell"])).out).toContain("Register-ArgumentCompleter");
    expect((await mythos(["complete", "--", "ho"])).out).toContain("holds");
    expect((await mythos(["complete", "--", "check", "--"])).out).toContain("--strict");
  });
});

test("the agent's client and the command line see the same", async () => {
  const client = clientOf(host, host.keys.agentKey);
  const api = await client.get<unknown>("/api/workflows/meeting-notes");
  const { items } = parsed<{ items: { command: string; inputs: unknown }[] }>(
    await agent(["loops", "--json"]),
  );
  expect(api).toMatchObject({ ...items.find(({ command }) => command === "/meeting-notes") });
});
