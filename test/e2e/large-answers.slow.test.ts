import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startHost, type Host } from "../../infra/local/host.ts";
import { createClient } from "../../lib/client/client.ts";
import { startModelStub, type ModelStub } from "../support/model-stub.ts";
import { PLAIN_WORKFLOW } from "../support/loop.ts";
import { STUB_KEY, STUB_KEY_ENV, stubConfig } from "../support/stub-config.ts";
import {
  clientOf,
  eventually,
  problemOf,
  runThatIs,
  type Client,
  type Enqueued,
  type Hold,
} from "./client.ts";
import { importFiles } from "./library.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const MB = 1024 * 1024;
const QUOTES = '"'.repeat(2 * MB);
type LeftOut = { textsLeftOut?: { pointer: string; bytes: number; read: string | null }[] };

let stub: ModelStub;
let dataDir = "";
let host: Host | undefined;
let agent: Client;
let steward: Client;

beforeAll(async () => {
  stub = await startModelStub();
  dataDir = mkdtempSync(join(tmpdir(), "large-"));
  writeFileSync(join(dataDir, "config.json"), stubConfig(stub, "anthropic"));
  host = await startHost({ dataDir, port: 0, quiet: true, secrets: { [STUB_KEY_ENV.anthropic]: STUB_KEY } });
  agent = clientOf(host, host.keys.agentKey);
  steward = clientOf(host, host.keys.stewardKey);
});
afterAll(async () => {
  await host?.stop();
  await stub.stop();
  rmSync(dataDir, { recursive: true });
});

/** The answer, which must be a success, and each text it left out as its mark says to read it. */
async function read<T>(method: string, path: string, body?: unknown) {
  const answer = await steward.ask(method, path, body);
  expect([answer.status, answer.status < 300 ? "" : answer.text.slice(0, 300)]).toEqual([answer.status, ""]);
  const value = JSON.parse(answer.text) as T & LeftOut;
  const texts: Record<string, string> = {};
  for (const { pointer, bytes, read: asks } of value.textsLeftOut ?? []) {
    const [by = "", at = ""] = asks!.split(" ");
    const text = await steward.ask(by, at, by === "POST" ? body : undefined);
    expect([text.status, text.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(Buffer.byteLength(text.text)).toBe(bytes);
    texts[pointer] = text.text;
  }
  return { status: answer.status, value, texts };
}

describe("a memo of two megabytes that escape", () => {
  let memoId = "";
  test("is told as written, and where its text is read", async () => {
    const { status, value, texts } = await read<{ memoId: string; body: null }>("POST", "/api/memos", {
      title: "Quotes",
      body: QUOTES,
    });
    ({ memoId } = value);
    expect([status, value.body]).toEqual([201, null]);
    expect(texts["/body"] === QUOTES).toBe(true);
  });

  test("is read, as it is and at its version, also when it is all control characters", async () => {
    for (const path of [`/api/memos/${memoId}`, `/api/memos/${memoId}/versions/1`]) {
      expect((await read("GET", path)).texts["/body"] === QUOTES).toBe(true);
    }
    const body = "\u0001".repeat(850_000);
    const memo = { title: "Control characters", body };
    const { value, texts } = await read<{ body: string | null }>("POST", "/api/memos", memo);
    expect((value.body ?? texts["/body"]) === body).toBe(true);
  });

  test("is changed, whatever its answer leaves out", async () => {
    const answer = await steward.ask("PUT", `/api/memos/${memoId}`, { notes: QUOTES }, { "if-match": '"1"' });
    expect(answer.status).toBe(200);
    const { texts } = await read("GET", `/api/memos/${memoId}`);
    expect(Object.keys(texts)).toEqual(["/body", "/notes"]);
  });

  test("is whole for the command line", async () => {
    const client = createClient({ url: host!.url, key: host!.keys.stewardKey });
    const memo = await client.call<{ body: string }>("GET", `/api/memos/${memoId}`);
    expect(memo.ok && memo.value.body === QUOTES).toBe(true);
  });

  test("has no part that is no text", async () => {
    const answer = await steward.ask("GET", `/api/memos/${memoId}?part=/tags`);
    expect([answer.status, problemOf(answer).code]).toEqual([400, "invalid_request"]);
  });
});

const THREE_STEPS = PLAIN_WORKFLOW.replaceAll("Plain", "Three")
  .replaceAll("/plain", "/three")
  .replace(
    "4. **output**",
    "4. **process** `more` Write more.\n5. **process** `most` Write most.\n6. **output**",
  )
  .replace("40k tokens", "900k tokens");

describe("a run of three steps of 1.9 MB", () => {
  const text = "A line of a draft.\n".repeat(100_000).slice(0, 1_900_000);
  let runId = "";
  let hold: Hold;
  beforeAll(async () => {
    stub.serves(() => ({ text, usage: { input: 1000, output: 1000 } }));
    await importFiles(steward, [{ path: "workflows/three.md", text: THREE_STEPS }]);
    ({ runId } = await agent.post<Enqueued>("/api/workflows/three/items", { payload: { topic: "Long" } }));
    const run = await runThatIs(agent, runId, "suspended");
    hold = await steward.get<Hold>(`/api/holds/${run.holdId}`);
  });

  test("is shown, its longest texts apart", async () => {
    const { value, texts } = await read<{ status: string }>("GET", `/api/runs/${runId}`);
    expect(value.status).toBe("suspended");
    expect(Object.keys(texts)[0]).toBe("/steps/2/output");
    expect(texts["/steps/2/output"]).toContain("A line of a draft.\nA line");
  });

  test("is decided with another text of 2 MB, and the hold shows both", async () => {
    const edited = `Edited.\n${'"'.repeat(1_900_000)}`;
    const decision = { verdict: "approve_edited", sha256: hold.sha256, text: edited };
    await read("POST", `/api/holds/${hold.holdId}/decision`, decision);
    const { texts } = await read("GET", `/api/holds/${hold.holdId}`);
    expect(texts["/edited/text"]).toBe(edited);
    await runThatIs(steward, runId, "done");
  });
});

describe("28 items of 240 KB", () => {
  test("are listed page by page, none lost and none twice", async () => {
    const paused = PLAIN_WORKFLOW.replaceAll("Plain", "Paused")
      .replaceAll("/plain", "/paused")
      .replace("`live`", "`paused`");
    await importFiles(steward, [{ path: "workflows/paused.md", text: paused }]);
    const ids: string[] = [];
    for (let n = 0; n < 28; n++) {
      const payload = { topic: `${n} ${"x".repeat(240_000)}` };
      ids.push((await agent.post<Enqueued>("/api/workflows/paused/items", { payload })).itemId);
    }
    const listed = await eventually(() =>
      steward.all<{ itemId: string }>("/api/items?limit=100&workflow=paused"),
    );
    expect(listed.map(({ itemId }) => itemId).toSorted()).toEqual(ids.toSorted());
  });
});

test("a preview that loads long memos answers its prompts apart", async () => {
  const bodies = ["One", "Two"].map((title) => ({ title, body: `${title}\n${'"'.repeat(1_500_000)}` }));
  for (const memo of bodies) await read("POST", "/api/memos", memo);
  const text = PLAIN_WORKFLOW.replace(
    "## Load Contract\n",
    "## Load Contract\n- **gate** [[One]]\n- **gate** [[Two]]\n",
  );
  const body = { text, payload: { topic: "Long" } };
  const { texts } = await read("POST", "/api/workflows/preview", body);
  expect(Object.values(texts).some((prompt) => prompt.includes('"'.repeat(1_500_000)))).toBe(true);
});
