import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startHost, type Host } from "../../infra/local/host.ts";
import { PROTOCOLS, startModelStub, type ModelStub, type Protocol } from "../support/model-stub.ts";
import { STUB_ALIAS, STUB_KEY, STUB_KEY_ENV, stubConfigOfAll } from "../support/stub-config.ts";
import {
  clientOf,
  runThatIs,
  type Client,
  type Decided,
  type Enqueued,
  type Hold,
  type ShownMemo,
} from "./client.ts";
import { demoLibrary, importFiles } from "./library.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stub: ModelStub;
let dataDir = "";
let host: Host | undefined;
let agent: Client;
let steward: Client;

/** One host with every provider, and the drafting workflow once for each. */
beforeAll(async () => {
  stub = await startModelStub();
  dataDir = mkdtempSync(join(tmpdir(), "providers-"));
  writeFileSync(join(dataDir, "config.json"), stubConfigOfAll(stub));
  const secrets = Object.fromEntries(Object.values(STUB_KEY_ENV).map((name) => [name, STUB_KEY]));
  host = await startHost({ dataDir, port: 0, quiet: true, secrets });
  agent = clientOf(host, host.keys.agentKey);
  steward = clientOf(host, host.keys.stewardKey);
  const library = demoLibrary();
  const drafting = library.find(({ path }) => path.endsWith("/1-memo-drafting.md"))!.text;
  const workflows = PROTOCOLS.map((protocol) => ({
    path: `workflows/${protocol}.md`,
    text: drafting
      .replace("# Memo drafting", `# Drafting by ${protocol}`)
      .replaceAll("/draft-memo", `/draft-${protocol}`)
      .replace("**Model** `default`", `**Model** \`${STUB_ALIAS[protocol]}\``),
  }));
  const rules = library.filter(({ path }) => !path.startsWith("workflows/"));
  await importFiles(steward, [...rules, ...workflows]);
});
afterAll(async () => {
  await host?.stop();
  await stub.stop();
  rmSync(dataDir, { recursive: true });
});
beforeEach(() => stub.reset());

const draft = (protocol: Protocol, topic: string) =>
  agent.post<Enqueued>(`/api/workflows/draft-${protocol}/items`, { payload: { topic } });

/** Each step's answer names the step, so that a mix-up would be seen. */
const answerByStep = ({ text }: { text: string }) => {
  const step = /Your step is \\"(\w+)\\"/.exec(text)?.[1];
  return { text: `Text of ${step}.`, usage: { input: 1000, cacheRead: 500, output: 20 } };
};

describe.each(PROTOCOLS)("%s", (protocol) => {
  test("a brief is drafted by the model, held, approved, and lands as it was shown", async () => {
    stub.serves(answerByStep);
    const { runId } = await draft(protocol, "What is a lane?");
    const { holdId } = await runThatIs(agent, runId, "suspended");
    const hold = await steward.get<Hold>(`/api/holds/${holdId}`);
    expect(hold.proposal?.text).toBe("Text of revise.");
    await steward.post<Decided>(`/api/holds/${holdId}/decision`, {
      verdict: "approve",
      sha256: hold.sha256,
    });
    const run = await runThatIs(agent, runId, "done");
    const memo = await agent.get<ShownMemo>(`/api/memos/${run.landing?.memoId}`);
    expect(memo).toMatchObject({ title: "What is a lane?", body: "Text of revise." });

    // One call a step, with the earlier step's text and the payload in the second.
    expect(stub.requests).toHaveLength(2);
    expect(stub.requests[1]?.text).toContain("Text of draft.");
    expect(stub.requests[1]?.text).toContain("What is a lane?");
    expect(run.tokens).toBe(2 * 1520);
    expect(run.costMicroUsd).toBe(2 * (1000 * 3 + 500 * 0.3 + 20 * 15));
  });

  test("a provider that dies in the middle of a call costs the run a wait, and nothing else", async () => {
    stub.answers({ hang: true });
    const asked = stub.nextRequest();
    const { runId } = await draft(protocol, "What is a doorbell?");
    await asked;
    await stub.kill();
    stub.serves(answerByStep);
    await stub.revive();
    const run = await runThatIs(agent, runId, "suspended");
    expect(run.steps.map(({ id, status }) => [id, status])).toContainEqual(["revise", "done"]);
    expect(run.recoveries).toBe(0);
    expect(stub.requests).toHaveLength(3);
  });
});

test("a throttled run goes on by itself, and the key is in no log and no answer", async () => {
  stub.answers({ status: 429, headers: { "retry-after": "1" }, body: `{"error":{"message":"${STUB_KEY}"}}` });
  stub.answers(...["draft", "revise"].map((step) => ({ text: `Text of ${step}.` })));
  const { runId } = await draft("anthropic", "What is a hold?");
  await runThatIs(agent, runId, "suspended");
  expect(stub.requests).toHaveLength(3);
  expect(JSON.stringify(await agent.get(`/api/runs/${runId}`))).not.toContain(STUB_KEY);
  expect(filesUnder(join(dataDir, "logs")).filter((text) => text.includes(STUB_KEY))).toEqual([]);
});

test("a key that the provider refuses ends the run with the name of its variable", async () => {
  stub.serves(() => ({
    status: 401,
    body: '{"type":"error","error":{"type":"authentication_error","message":"no"}}',
  }));
  const { runId } = await draft("anthropic", "What is a gate?");
  const run = await runThatIs(agent, runId, "failed");
  expect(run.error).toMatchObject({
    code: "model_failed",
    message: "anthropic answered 401 authentication_error: check the key in STUB_ANTHROPIC_KEY",
  });
});

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
