import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { EXIT } from "../../lib/cli/failure.ts";
import { asAgent, mythos } from "./cli-process.ts";
import { clientOf, type MemoEntry } from "./client.ts";
import { givenHost } from "./test-host.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let host: Host;
let stop = async () => {};
beforeAll(async () => ({ host, stop } = await givenHost()));
afterAll(() => stop());

type Findings = { findings: { check: string; state: string; found: string }[] };
const memosOf = () => clientOf(host, host.keys.stewardKey).all<MemoEntry>("/api/memos");

test("doctor --smoke takes one item through a session, a hold and an approval, and leaves nothing behind", async () => {
  const before = await memosOf();
  const env = { ...asAgent(host), MYTHOS_STEWARD_KEY: host.keys.stewardKey };
  const { code, out, err } = await mythos(["doctor", "--smoke", "--json"], { env });
  const smoke = (JSON.parse(out) as Findings).findings.filter(({ check }) => check === "smoke");
  expect(smoke.map(({ state, found }) => `${state} ${found}`)).toEqual([
    "ok a session",
    "ok a workflow",
    "ok an enqueue",
    "ok a hold",
    "ok a person's approval",
    "ok the memo",
    "ok cleaned up",
  ]);
  expect(code).toBe(EXIT.ok);
  expect(err).toContain(host.url);
  expect(await memosOf()).toEqual(before);
});

test("with an agent's key alone the approval fails, and what was made is removed all the same", async () => {
  const before = await memosOf();
  const env = { ...asAgent(host), MYTHOS_STEWARD_KEY: host.keys.agentKey };
  const { code, out } = await mythos(["doctor", "--smoke", "--json"], { env });
  const smoke = (JSON.parse(out) as Findings).findings.filter(({ check }) => check === "smoke");
  expect(smoke.at(-2)).toMatchObject({
    state: "fail",
    found: expect.stringMatching(/^a person's approval: /),
  });
  expect(smoke.at(-1)).toMatchObject({ state: "ok", found: "cleaned up" });
  expect(code).toBe(EXIT.failed);
  expect(await memosOf()).toEqual(before);
});

test("one key alone is not tried", async () => {
  const { code, out } = await mythos(["doctor", "--smoke"], { env: asAgent(host) });
  expect(out).toContain("MYTHOS_STEWARD_KEY");
  expect(code).toBe(EXIT.failed);
});

test.each(["deploy", "destroy"])(
  "%s names the stage, and without a terminal does nothing unless --yes is said",
  async (command) => {
    const { code, err } = await mythos([command, "--stage", "dev", "--no-input"]);
    expect(err).toContain("mythos-dev-app");
    expect(err).toContain("--yes");
    expect(code).toBe(EXIT.usage);
  },
);

test("the target aws is an account: no command takes it for a host", async () => {
  const { code, err } = await mythos(["runs", "list", "--target", "aws"], { env: asAgent(host) });
  expect(err).toContain("no host");
  expect(code).toBe(EXIT.usage);
});
