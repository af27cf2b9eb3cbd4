import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import {
  clientOf,
  heldDraft,
  runThatIs,
  type Client,
  type Decided,
  type Hold,
  type MemoEntry,
  type RunRecord,
  type ShownMemo,
  type ShownRun,
  type TimelineEntry,
} from "./client.ts";
import { demoLibrary } from "./library.ts";
import { givenFolderForHosts } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = givenFolderForHosts();
let host: Host;
let steward: Client;

async function start(): Promise<void> {
  host = await folder.start({ firstStart: true });
  steward = clientOf(host, host.keys.stewardKey);
}

beforeAll(start);
afterAll(() => folder.remove());

/** Everything that lists and records show. */
async function everything() {
  const runs = await steward.all<ShownRun>("/api/runs");
  const holds = await steward.all<Hold>("/api/holds");
  const sessions = await steward.all<{ sessionId: string }>("/api/internal/sessions");
  return {
    memos: await steward.all<MemoEntry>("/api/memos"),
    workflows: await steward.all("/api/workflows"),
    runs,
    records: await Promise.all(runs.map(({ runId }) => steward.get<RunRecord>(`/api/runs/${runId}`))),
    items: await Promise.all(runs.map(({ itemId }) => steward.get(`/api/items/${itemId}`))),
    holds,
    shown: await Promise.all(holds.map(({ holdId }) => steward.get<Hold>(`/api/holds/${holdId}`))),
    sessions,
    timelines: await Promise.all(
      sessions.map(({ sessionId }) =>
        steward.all<TimelineEntry>(`/api/internal/sessions/${sessionId}/timeline`),
      ),
    ),
  };
}

const targetOf = ({ proposal }: Hold): string => proposal?.target.memoId ?? "none";

async function expectLandedOnce(runId: string, hold: Hold): Promise<void> {
  const { landing } = await runThatIs(steward, runId, "done");
  expect(landing).toEqual({ memoId: targetOf(hold), contentVersion: 1 });
  const memo = await steward.get<ShownMemo>(`/api/memos/${targetOf(hold)}`);
  expect(memo).toMatchObject({ contentVersion: 1, body: hold.proposal?.text, runId });
  const landed = await steward.all<MemoEntry>("/api/memos?tag=loop/draft-memo");
  expect(landed.filter(({ title }) => title === memo.title)).toHaveLength(1);
}

test("a first start leaves the demo library and one held draft, and a later one finds them as they were", async () => {
  const before = await everything();
  const { keys } = host;
  expect(before.memos).toHaveLength(demoLibrary().length);
  expect(before.shown).toMatchObject([{ open: true, run: { status: "suspended" } }]);
  expect(before.timelines.flat().filter(({ kind }) => kind === "run")).toHaveLength(1);

  await start();
  expect(host.keys).toEqual(keys);
  expect(await everything()).toEqual(before);
});

test("O10: a draft that was held before the restart is approved after it, and lands once", async () => {
  const [listed] = await steward.all<Hold>("/api/holds");
  const path = `/api/holds/${listed?.holdId}`;
  const hold = await steward.get<Hold>(path);
  const approval = { verdict: "approve", sha256: hold.sha256, decisionId: "dec-after-restart" };
  const first = await steward.post<Decided>(`${path}/decision`, approval);
  await expectLandedOnce(hold.run.runId, hold);
  const again = await steward.post<Decided>(`${path}/decision`, approval);
  expect(again).toMatchObject({ decision: first.decision, run: { status: "done" } });
});

test("an approval just before the stop lands once after it, and what had landed does not land again", async () => {
  const [landed] = await steward.all<ShownRun>("/api/runs?status=done");
  const agent = clientOf(host, host.keys.agentKey);
  const { runId, hold } = await heldDraft(agent, "What does a reviewer look for in a draft?");
  const approval = { verdict: "approve", sha256: hold.sha256 };
  await steward.post<Decided>(`/api/holds/${hold.holdId}/decision`, approval);

  await start();
  await expectLandedOnce(runId, hold);
  expect(await steward.all<MemoEntry>("/api/memos?tag=loop/draft-memo")).toHaveLength(2);
  expect(await steward.all<ShownRun>("/api/runs?status=done")).toContainEqual(landed);
});
