import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { foldWhitespace } from "../../lib/core/text.ts";
import type { Imported } from "../../lib/memos/import.ts";
import {
  clientOf,
  runThatIs,
  type Client,
  type Decided,
  type Enqueued,
  type Hold,
  type MemoEntry,
  type RunRecord,
  type ShownItem,
  type ShownMemo,
  type TimelineEntry,
} from "./client.ts";
import { demoLibrary, importFiles, notes } from "./library.ts";
import { givenHost } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const TOPIC = "Which psql and git settings do I keep forgetting, and why?";

let stop = async () => {};
/** Outside the session, for everything that is only looked at. */
let reader: Client;
let agent: Client;
let steward: Client;
let imported: Imported[];
let sessionId = "";
let enqueued: Enqueued;
let hold: Hold;

beforeAll(async () => {
  const given = await givenHost();
  stop = given.stop;
  const { host } = given;
  imported = await importFiles(clientOf(host, host.keys.stewardKey), [...demoLibrary(), ...notes()]);
  reader = clientOf(host, host.keys.agentKey);
  const created = await reader.post<{ sessionId: string }>("/api/internal/sessions", {
    name: "settings",
    purpose: "Collect the settings that are forgotten",
  });
  sessionId = created.sessionId;
  agent = clientOf(host, host.keys.agentKey, sessionId);
  steward = clientOf(host, host.keys.stewardKey, sessionId);
  enqueued = await agent.post("/api/workflows/draft-memo/items", { payload: { topic: TOPIC } });
  const { holdId } = await runThatIs(reader, enqueued.runId, "suspended");
  hold = await steward.get<Hold>(`/api/holds/${holdId}`);
});
afterAll(() => stop());

/** The quoted lines of a draft with the title that ends each. */
function quotesOf(text: string) {
  return text
    .split("\n")
    .filter((line) => line.startsWith("> "))
    .map((line) => {
      const match = /^> (.*\S)\s*\[\[([^[\]]+)\]\]$/.exec(line);
      return { line, words: match?.[1] ?? null, title: match?.[2] ?? null };
    });
}

test("every rule memo, workflow and note of the folders comes in", async () => {
  expect(notes()).toHaveLength(156);
  expect(imported).toHaveLength(demoLibrary().length + notes().length);
  expect(imported.filter(({ outcome }) => outcome !== "created")).toEqual([]);
  const entries = await reader.all<MemoEntry>("/api/memos?limit=50");
  expect(new Set(entries.map(({ memoId }) => memoId))).toEqual(new Set(imported.map(({ memoId }) => memoId)));
});

test("the draft of a brief is held and cites at least three memos of git or postgres", async () => {
  expect(hold).toMatchObject({ open: true, decision: null, payload: { topic: TOPIC }, targetChanged: false });
  const cited = new Set(quotesOf(hold.proposal?.text ?? "").map(({ title }) => title));
  const subjects = [
    ...(await reader.all<MemoEntry>("/api/memos?tag=git&limit=100")),
    ...(await reader.all<MemoEntry>("/api/memos?tag=postgres&limit=100")),
  ];
  expect(subjects.filter(({ title }) => cited.has(title)).length).toBeGreaterThanOrEqual(3);
});

test("each quoted line ends in a title and stands word for word in the memo of it", async () => {
  const quotes = quotesOf(hold.proposal?.text ?? "");
  expect(quotes.length).toBeGreaterThanOrEqual(3);
  expect(quotes.filter(({ words }) => words === null)).toEqual([]);
  const entries = await reader.all<MemoEntry>("/api/memos?limit=100");
  for (const { words, title } of quotes) {
    const named = entries.filter((entry) => entry.title === title);
    expect(named, `memos titled ${title}`).toHaveLength(1);
    const { body } = await reader.get<ShownMemo>(`/api/memos/${named[0]?.memoId}`);
    expect(foldWhitespace(body)).toContain(foldWhitespace(words ?? ""));
  }
});

test("before the approval there is no memo", async () => {
  expect((await reader.ask("GET", `/api/memos/${targetOf(hold)}`)).status).toBe(404);
  expect(await reader.all("/api/memos?tag=loop/draft-memo")).toEqual([]);
});

test("an approval lands exactly the held bytes, unlisted, with the policy's tags and the session", async () => {
  const { holdId, sha256, proposal } = hold;
  const decided = await steward.post<Decided>(`/api/holds/${holdId}/decision`, {
    verdict: "approve",
    sha256,
  });
  expect(decided).toMatchObject({ holdId, decision: { verdict: "approve", by: "human:owner" } });
  const { landing } = await runThatIs(reader, enqueued.runId, "done");
  expect(landing).toEqual({ memoId: targetOf(hold), contentVersion: 1 });
  const memo = await reader.get<ShownMemo>(`/api/memos/${landing?.memoId}`);
  expect(memo).toMatchObject({
    title: TOPIC,
    body: proposal?.text,
    contentVersion: 1,
    visibility: "unlisted",
    memoType: "note",
    tags: ["draft", "loop/draft-memo"],
    runId: enqueued.runId,
    sessionId,
    writtenBy: { kind: "agent", principalId: hold.run.requestedBy.principalId },
  });
  expect(await reader.all("/api/memos?tag=loop/draft-memo")).toHaveLength(1);
  expect(await reader.get<ShownItem>(`/api/items/${enqueued.itemId}`)).toMatchObject({
    status: "done",
    runId: enqueued.runId,
    sessionId,
  });
  expect(await reader.all("/api/holds")).toEqual([]);
});

test("the run's record shows manifest, steps with tokens and time, guards and landing", async () => {
  const run = await reader.get<RunRecord>(`/api/runs/${enqueued.runId}`);
  expect(run).toMatchObject({
    status: "done",
    sessionId,
    manifestHash: hold.workflow?.manifestHash,
    manifestDrift: false,
    recoveries: 0,
    error: null,
    guards: [{ guard: "no-secrets", passed: true }],
    hold: { sha256: hold.sha256, decision: { verdict: "approve", by: "human:owner" } },
    landing: { memoId: targetOf(hold), contentVersion: 1 },
  });
  expect(run.manifestHash).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(run.steps.map(({ id, kind, status }) => [id, kind, status])).toEqual([
    ["brief", "trigger", "done"],
    ["gather", "context", "done"],
    ["draft", "process", "done"],
    ["revise", "process", "done"],
    ["publish", "output", "landed"],
  ]);
  for (const step of run.steps.filter(({ kind }) => kind === "process")) {
    expect(step.tokens).toBeGreaterThan(0);
    expect(step.ms).toBeGreaterThanOrEqual(0);
  }
  expect(run.tokens).toBe(run.steps.reduce((sum, { tokens }) => sum + tokens, 0));
  const classes = (loaded: boolean) =>
    new Set(run.loads.filter((load) => load.loaded === loaded).map((load) => load.class));
  expect(classes(true)).toEqual(new Set(["gate", "search", "hook"]));
  expect(classes(false)).toEqual(new Set(["trigger"]));
});

test("the session's timeline shows the requests, the run, its hold and its landing", async () => {
  const path = `/api/internal/sessions/${sessionId}`;
  const { requestCount } = await reader.get<{ requestCount: number }>(path);
  const entries = await reader.all<TimelineEntry>(`${path}/timeline?limit=2`);
  const runs = entries.filter((entry) => entry.kind === "run");
  expect(runs).toMatchObject([
    {
      run: {
        runId: enqueued.runId,
        status: "done",
        holdId: hold.holdId,
        landing: { memoId: targetOf(hold), contentVersion: 1 },
      },
    },
  ]);
  const requests = entries.filter((entry) => entry.kind === "request");
  expect(requests.map(({ route, status, caller }) => [route, status, caller.principalId])).toEqual([
    ["POST /api/holds/{id}/decision", 200, "human:owner"],
    ["GET /api/holds/{id}", 200, "human:owner"],
    ["POST /api/workflows/{idOrCommand}/items", 202, hold.run.requestedBy.principalId],
  ]);
  expect(requestCount).toBe(requests.length);
  const times = entries.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

function targetOf({ proposal }: Hold): string {
  return proposal?.target.memoId ?? "none";
}
