import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startHost } from "../../infra/local/host.ts";
import { METRICS } from "../../lib/core/metrics.ts";
import { emfFaults, emfLines } from "../support/emf.ts";
import { AUTO_WORKFLOW, PLAIN_WORKFLOW } from "../support/loop.ts";
import { clientOf, eventually, runThatIs, send, type Enqueued, type Hold } from "./client.ts";
import { importFiles } from "./library.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A word of its own for each place from which a text could get into a log. */
const WORDS = ["payload", "memo", "title", "query", "edit", "reason", "malformed", "session", "key"].map(
  (place) => `zebrafish-${place}`,
);
const word = (place: string): string => WORDS.find((each) => each.endsWith(place))!;

const dataDir = mkdtempSync(join(tmpdir(), "logs-"));
afterAll(() => rmSync(dataDir, { recursive: true }));

let log: string;
let secrets: string[];
let seen: { sessionId: string; runId: string; requestId: string };

/** The main path once, with a word in every text, and what the functions printed about it. */
beforeAll(async () => {
  const host = await startHost({ dataDir, port: 0, quiet: true, firstStart: false });
  const { agentKey, stewardKey } = host.keys;
  secrets = Object.values(host.keys).map(String);
  const steward = clientOf(host, stewardKey);
  await importFiles(steward, [
    { path: "plain.md", text: PLAIN_WORKFLOW },
    { path: "auto.md", text: AUTO_WORKFLOW },
    { path: "note.md", text: `# ${word("title")}\n\nA note about ${word("memo")}.` },
  ]);
  const named = { name: word("session"), purpose: word("session") };
  const { sessionId } = await clientOf(host, agentKey).post<{ sessionId: string }>(
    "/api/internal/sessions",
    named,
  );
  const agent = clientOf(host, agentKey, sessionId);
  const landed = await agent.post<Enqueued>("/api/workflows/auto/items", {
    payload: { topic: word("payload") },
  });
  await runThatIs(agent, landed.runId, "done");
  const { runId } = await agent.post<Enqueued>("/api/workflows/plain/items", {
    payload: { topic: word("payload") },
  });
  const { holdId } = await runThatIs(agent, runId, "suspended");
  const hold = await steward.get<Hold>(`/api/holds/${holdId}`);
  const ask = { verdict: "request_changes", sha256: hold.sha256, reason: word("reason") };
  await steward.post(`/api/holds/${holdId}/decision`, ask);
  const again = await eventually(async () => {
    const run = await runThatIs(agent, runId, "suspended");
    if (run.holdId === holdId) throw new Error("the hold is still the first");
    return steward.get<Hold>(`/api/holds/${run.holdId}`);
  });
  const edited = { verdict: "approve_edited", sha256: again.sha256, text: `# Edited\n\n${word("edit")}` };
  await steward.post(`/api/holds/${again.holdId}/decision`, edited);
  await steward.ask("POST", `/api/holds/${again.holdId}/decision`, {
    verdict: "approve",
    sha256: again.sha256,
  });
  await runThatIs(agent, runId, "done");
  await agent.get(`/api/memos?q=${word("query")}`);
  const headers = { authorization: `Bearer mk_${word("key")}_${word("key")}` };
  await send(host, { method: "GET", path: "/api/memos", headers });
  const malformed = { "content-type": "application/json", authorization: `Bearer ${agentKey}` };
  await send(host, {
    method: "POST",
    path: "/api/memos",
    headers: malformed,
    body: `{"title":"${word("malformed")}`,
  });
  await host.invoke("queueRun", { Records: [{ messageId: "m1", body: word("malformed") }] });
  const answer = await agent.ask("GET", `/api/runs/${runId}`);
  seen = { sessionId, runId, requestId: answer.headers.get("x-request-id")! };
  for (const name of ["scheduleResume", "schedulePass", "scheduleRecover"] as const)
    await host.invoke(name, {});
  await host.stop();
  const folder = join(dataDir, "logs");
  log = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
});

test("no payload, memo, title, query, edit, reason, key or malformed text reaches a function's log", () => {
  expect(log.length).toBeGreaterThan(1000);
  expect([...WORDS, ...secrets].filter((each) => log.includes(each))).toEqual([]);
});

test("the log names the session, the run and the request of what was done", () => {
  const lines = log
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const { sessionId, runId, requestId } = seen;
  expect(lines).toContainEqual(
    expect.objectContaining({ message: "request", requestId, sessionId, status: 200 }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({
      message: "ticket",
      runId,
      sessionId,
      requestId: expect.any(String),
      status: "done",
    }),
  );
});

test("F67: every metric line of every function has a declared name and none but the three dimensions", () => {
  const lines = emfLines(log);
  expect(lines.flatMap(emfFaults)).toEqual([]);
  const names = new Set(
    lines.flatMap((line) =>
      line["_aws"].CloudWatchMetrics.flatMap((each) => each.Metrics.map(({ Name }) => Name)),
    ),
  );
  expect([...names].toSorted()).toEqual(Object.keys(METRICS).toSorted());
});
