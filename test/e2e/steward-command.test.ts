import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { asAgent, asSteward, mythos } from "./cli-process.ts";
import { givenHost } from "./test-host.ts";

type Given = Awaited<ReturnType<typeof givenHost>>;
let given: Given;
let folder: string;
beforeAll(async () => {
  given = await givenHost();
  folder = mkdtempSync(join(tmpdir(), "steward-"));
});
afterAll(async () => {
  await given.stop();
  rmSync(folder, { recursive: true });
});

describe("mythos steward", () => {
  test("is a dry run by an agent's key, and says so", async () => {
    const file = join(folder, "report.md");
    const said = await mythos(["steward", "--report", file], { env: asAgent(given.host) });
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining("Dry run: nothing was ended") });
    expect(readFileSync(file, "utf8")).toMatch(/^# Session steward: dry run/);
    const shown = await mythos(["--json", "steward"], { env: asAgent(given.host) });
    const report = JSON.parse(shown.out) as {
      status: string;
      apply: boolean;
      rows: unknown[];
      memoId: string;
    };
    expect(report).toMatchObject({ status: "done", apply: false, rows: [] });
    const { key, url } = { key: given.host.keys.agentKey, url: given.host.url };
    const memo = await createClient({ url, key }).call("GET", `/api/memos/${report.memoId}`);
    expect(memo).toMatchObject({ ok: true, value: { tags: ["session-report"] } });
  });

  test("acts only for a person", async () => {
    const refused = await mythos(["steward", "--apply"], { env: asAgent(given.host) });
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining("only people and schedules") });
    const said = await mythos(["steward", "--apply"], { env: asSteward(given.host) });
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining("Applied") });
  });

  test("switches the hourly pass on and off for a person, and shows it to anybody", async () => {
    expect(await mythos(["steward", "--schedule", "show"], { env: asAgent(given.host) })).toMatchObject({
      out: expect.stringContaining("is off"),
    });
    expect(await mythos(["steward", "--schedule", "on"], { env: asAgent(given.host) })).toMatchObject({
      code: 4,
    });
    expect(await mythos(["steward", "--schedule", "on"], { env: asSteward(given.host) })).toMatchObject({
      code: 0,
      out: expect.stringContaining("is on, next"),
    });
    expect(await mythos(["steward", "--schedule", "off"], { env: asSteward(given.host) })).toMatchObject({
      out: expect.stringContaining("is off"),
    });
  });

  test("says which option is wrong", async () => {
    const said = await mythos(["steward", "--min-confidence", "2"], { env: asAgent(given.host) });
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining("from 0 to 1") });
  });
});
