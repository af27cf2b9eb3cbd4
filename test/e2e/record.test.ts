import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { HOUR_MS } from "../../lib/core/duration.ts";
import type { AuditEntry } from "../../lib/audit/entry.ts";
import type { listHolds } from "../../lib/runs/list-holds.ts";
import type { Notice } from "../../lib/notices/notice.ts";
import { clientOf, heldDraft, problemOf, runThatIs, type Client, type Hold, type Page } from "./client.ts";
import { demoLibrary, importFiles } from "./library.ts";
import { PLAIN_WORKFLOW } from "../support/loop.ts";
import { givenHost, OWNER } from "./test-host.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

type Listed = Awaited<ReturnType<typeof listHolds>>["items"][number];
type Act = AuditEntry & { outcome?: string };

let stop = async () => {};
let host: Host;
let agent: Client;
let steward: Client;
let bo: Client;
let stranger: Client;

beforeAll(async () => {
  const people = [
    { uid: "bo", ownerUid: OWNER },
    { uid: "stranger", ownerUid: "stranger" },
  ];
  const given = await givenHost(people);
  ({ host, stop } = given);
  agent = clientOf(host, host.keys.agentKey);
  steward = clientOf(host, host.keys.stewardKey);
  bo = clientOf(host, given.keys[0]!);
  stranger = clientOf(host, given.keys[1]!);
  const breaks = PLAIN_WORKFLOW.replaceAll("Plain", "Breaks").replaceAll("/plain", "/breaks");
  await importFiles(steward, [...demoLibrary(), { path: "workflows/breaks.md", text: breaks }]);
  await importFiles(stranger, demoLibrary());
});
afterAll(() => stop());

const ids = (holds: readonly { holdId: string }[]) => holds.map(({ holdId }) => holdId);
const listOf = (by: Client, query = "") => by.all<Listed>(`/api/holds?limit=1${query}`);
const recordOf = (by: Client) => by.all<Act>("/api/audit?limit=2");
const rejects = (by: Client, holds: readonly Hold[], reason = "not needed") =>
  by.post<{ items: { holdId: string; outcome: string; decision?: { decisionId: string } }[] }>(
    "/api/holds/reject",
    { holds: holds.map(({ holdId, sha256 }) => ({ holdId, sha256 })), reason },
  );

describe("a snooze", () => {
  let first: Hold;
  let second: Hold;
  beforeAll(async () => {
    ({ hold: first } = await heldDraft(agent, "What is a lane?"));
    ({ hold: second } = await heldDraft(agent, "What is a doorbell?"));
  });

  test("hides a hold from the list of one steward alone, and changes no deadline", async () => {
    const before = await agent.get<Hold>(`/api/holds/${first.holdId}`);
    const snoozed = await steward.post<Listed>(`/api/holds/${first.holdId}/snooze`, { until: "3d" });
    expect(snoozed).toMatchObject({ holdId: first.holdId, expiresAt: first.expiresAt });
    expect(ids(await listOf(steward))).toEqual([second.holdId]);
    expect(ids(await listOf(steward, "&state=snoozed"))).toEqual([first.holdId]);
    expect(await listOf(steward, "&state=all")).toMatchObject([
      { holdId: first.holdId, snoozedUntil: snoozed.snoozedUntil },
      { holdId: second.holdId, snoozedUntil: null },
    ]);
    for (const other of [bo, agent]) expect(ids(await listOf(other))).toEqual(ids([first, second]));
    expect(await agent.get<Hold>(`/api/holds/${first.holdId}`)).toEqual(before);
  });

  test("ends when it is said, any number of times", async () => {
    for (let time = 0; time < 2; time++) {
      const answer = await steward.ask("DELETE", `/api/holds/${first.holdId}/snooze`);
      expect(answer.status).toBe(200);
    }
    expect(ids(await listOf(steward))).toEqual(ids([first, second]));
    const until = new Date(first.expiresAt - HOUR_MS).toISOString();
    const snoozed = await steward.post<Listed>(`/api/holds/${first.holdId}/snooze`, { until });
    expect(snoozed.snoozedUntil).toBe(first.expiresAt - HOUR_MS);
    await steward.ask("DELETE", `/api/holds/${first.holdId}/snooze`);
  });

  test("is for people who decide", async () => {
    const answer = await agent.ask("POST", `/api/holds/${first.holdId}/snooze`, { until: "1d" });
    expect(problemOf(answer)).toMatchObject({ status: 403, code: "scope_missing" });
  });

  test("lists say what a hold is, in the order that is asked for, and of the workflow that is", async () => {
    const [shown] = await listOf(agent, "&workflow=draft-memo&sort=expiry");
    expect(shown).toMatchObject({ kind: "output", revision: 1, size: { removed: 0 } });
    expect(shown?.size?.words).toBeGreaterThan(5);
    expect(await listOf(agent, "&workflow=triage")).toEqual([]);
    const byExpiry = await listOf(agent, "&sort=expiry");
    expect(byExpiry).toEqual(byExpiry.toSorted((a, b) => a.expiresAt - b.expiresAt));
    expect(byExpiry).toHaveLength(2);
    const { nextCursor } = await agent.get<Page<Listed>>("/api/holds?limit=1");
    for (const path of ["/api/holds?sort=expiry&", "/api/runs?", "/api/notices?"]) {
      const answer = await agent.ask("GET", `${path}cursor=${nextCursor}`);
      expect(problemOf(answer)).toMatchObject({ status: 400, code: "invalid_request" });
    }
  });
});

test("many are rejected at once, each by its own decision, and the same request answers the same", async () => {
  const drafts = [];
  for (const topic of ["Bulk one", "Bulk two", "Bulk three", "Bulk four"]) {
    drafts.push(await heldDraft(agent, topic));
  }
  const [one, two, three, four] = drafts.map(({ hold }) => hold) as [Hold, Hold, Hold, Hold];
  await bo.post(`/api/holds/${two.holdId}/decision`, { verdict: "approve", sha256: two.sha256 });
  const { hold: foreign } = await heldDraft(stranger, "Not yours");
  const stale = { ...three, sha256: `sha256:${"0".repeat(64)}` } as Hold;
  const asked = [one, two, stale, foreign, four];
  const { items } = await rejects(steward, asked);
  expect(items.map(({ outcome }) => outcome)).toEqual([
    "applied",
    "already_decided",
    "stale_proposal",
    "not_found",
    "applied",
  ]);
  expect(ids(items)).toEqual(ids(asked));
  const again = await rejects(steward, asked);
  const bare = (rows: typeof items) =>
    rows.map(({ holdId, outcome, decision }) => ({ holdId, outcome, decision }));
  expect(bare(again.items)).toEqual(bare(items));

  for (const { runId, hold } of [drafts[0]!, drafts[3]!]) {
    const run = await runThatIs(agent, runId, "cancelled");
    expect(run.hold).toMatchObject({
      holdId: hold.holdId,
      decision: { verdict: "reject", reason: "not needed" },
    });
  }
  expect(await agent.get<Hold>(`/api/holds/${three.holdId}`)).toMatchObject({ open: true });
  expect(await stranger.get<Hold>(`/api/holds/${foreign.holdId}`)).toMatchObject({ open: true });
  const record = await recordOf(steward);
  const asks = record.filter(
    ({ act, holdId }) => act === "decision_asked" && ids(asked).includes(holdId ?? ""),
  );
  expect(asks.map(({ holdId, outcome }) => [holdId, outcome])).toEqual(
    expect.arrayContaining([
      [one.holdId, "stands"],
      [two.holdId, "stands"],
      [four.holdId, "stands"],
    ]),
  );
  expect(asks).toHaveLength(3);
});

describe("the record", () => {
  test("has what an agent's key was refused, in its session, and is for people alone", async () => {
    const session = await agent.post<{ sessionId: string }>("/api/internal/sessions", {
      name: "x",
      purpose: "x",
    });
    const { hold } = await heldDraft(agent, "Refused");
    const inSession = clientOf(host, host.keys.agentKey, session.sessionId);
    const answer = await inSession.ask("POST", `/api/holds/${hold.holdId}/decision`, {
      verdict: "approve",
      sha256: hold.sha256,
    });
    expect(answer.status).toBe(403);
    const [latest] = await recordOf(steward);
    expect(latest).toMatchObject({
      act: "decision_denied",
      code: "scope_missing",
      holdId: hold.holdId,
      sessionId: session.sessionId,
    });
    expect(latest?.by).toMatch(/^agent:/);
    expect(problemOf(await agent.ask("GET", "/api/audit"))).toMatchObject({
      status: 403,
      code: "scope_missing",
    });
    expect((await recordOf(stranger)).map(({ holdId }) => holdId)).not.toContain(hold.holdId);
  });

  test("begins where it is told to, and pages without losing or repeating a row", async () => {
    const all = await recordOf(bo);
    expect(all.length).toBeGreaterThan(5);
    expect(new Set(all.map((act) => JSON.stringify(act))).size).toBe(all.length);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((a, b) => b - a));
    expect(await bo.all("/api/audit?since=1h")).toEqual(all);
    expect(await bo.all(`/api/audit?since=${new Date(all[0]!.at + 1).toISOString()}`)).toEqual([]);
  });
});

test("a failed run is told once; marking it as read is for people, counts once and is nobody else's", async () => {
  const payload = { topic: "Into nothing", targetMemoId: "memo_0000" };
  const failed = await agent.post<{ runId: string }>("/api/workflows/breaks/items", { payload });
  const run = await runThatIs(agent, failed.runId, "failed");
  const notices = await agent.all<Notice>("/api/notices?state=unread&limit=1");
  const notice = notices.find((each) => each.runId === failed.runId);
  if (!notice) throw new Error("the failure was not told");
  expect(notice).toMatchObject({ kind: "run_failed", title: null, error: { code: run.error?.code } });
  const read = (by: Client) => by.ask("POST", `/api/notices/${notice.noticeId}/read`);
  expect((await read(agent)).status).toBe(403);
  expect(problemOf(await read(stranger))).toMatchObject({ status: 404, code: "notice_not_found" });
  const first = JSON.parse((await read(steward)).text) as Notice;
  expect(first.readAt).toBeGreaterThan(notice.at);
  expect(JSON.parse((await read(bo)).text)).toEqual(first);
  const unread = await agent.all<Notice>("/api/notices?state=unread");
  expect(unread.map(({ noticeId }) => noticeId)).not.toContain(notice.noticeId);
  expect(await agent.all("/api/notices?state=read")).toEqual([first]);
});
