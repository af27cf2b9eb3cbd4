import { describe, expect, test } from "vitest";
import { applyGate, recheckApply } from "../../../../lib/steward/rules/apply-gate.ts";
import { buildJudgedApplyQueue, buildRuleApplyQueue } from "../../../../lib/steward/rules/apply-queues.ts";
import { mergeDeclared } from "../../../../lib/steward/rules/ask.ts";
import { decideAction } from "../../../../lib/steward/rules/decide.ts";
import { takeFastPath } from "../../../../lib/steward/rules/fast-path.ts";
import { hostSaturation } from "../../../../lib/steward/rules/host.ts";
import { buildMemoryWriteQueue, foldMemory } from "../../../../lib/steward/rules/memory.ts";
import { isNeverRan, mergeNeverRan } from "../../../../lib/steward/rules/never-ran.ts";
import { classifyOrigin, OUR_CLOSABLE_ORIGINS } from "../../../../lib/steward/rules/origin.ts";
import { keepForOwnedWork } from "../../../../lib/steward/rules/owned-work.ts";
import { planSessionWrapup, type PlanEntry } from "../../../../lib/steward/rules/plan.ts";
import { buildProposalsStep } from "../../../../lib/steward/rules/proposals.ts";
import { buildRelabelQueue } from "../../../../lib/steward/rules/relabel.ts";
import { buildReport } from "../../../../lib/steward/rules/report.ts";
import { reportRows } from "../../../../lib/steward/rules/report-rows.ts";
import { scanLive } from "../../../../lib/steward/rules/scan.ts";
import { memoryNamespace, resolveSettings } from "../../../../lib/steward/rules/settings.ts";
import type { VerdictRow } from "../../../../lib/steward/rules/verdicts.ts";

const NOW = Date.parse("2026-10-02T14:00:00Z");
const HOUR_MS = 3_600_000;
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

const entry = (given: Partial<PlanEntry> = {}): PlanEntry => ({
  sessionId: "ses_a",
  origin: "cron:a",
  idleMinutes: 90,
  class: "judge",
  reasons: [],
  signals: {},
  ...given,
});

const verdict = (given: Partial<VerdictRow> = {}): VerdictRow => ({
  entry: entry(),
  evidence: { sessionId: "ses_a" },
  verdict: "done",
  confidence: 0.9,
  reason: "merged",
  source: "judged",
  ...given,
});

const applying = resolveSettings({ apply: true });

describe("memory (decision 4)", () => {
  test("an empty appId turns it off: nothing is written, and no namespace is named", () => {
    const settings = resolveSettings({ appId: "", apply: true });
    expect(settings.appId).toBe("");
    expect(buildMemoryWriteQueue([verdict()], settings)).toEqual([]);
    expect(memoryNamespace(settings)).toBeNull();
  });

  test("a dry run has a namespace of its own", () => {
    expect(memoryNamespace(resolveSettings({}))).toEqual({ appId: "session-steward", mode: "dry" });
    expect(memoryNamespace(applying)).toEqual({ appId: "session-steward", mode: "real" });
  });

  test("items of a listing are folded oldest first, in whichever order they come", () => {
    const item = (id: string, said: string) => ({
      id,
      kind: "note",
      payload: { kind: "steward-verdict", sessionId: "ses_a", verdict: said, fingerprint: "f" },
    });
    const items = [item("03", "done"), item("02", "done"), item("01", "active")];
    const folded = (listed: unknown[]) =>
      foldMemory({
        steps: { memoryRead: { results: [{ status: "fulfilled", index: 0, value: { items: listed } }] } },
      }).get("ses_a");
    expect(folded(items)).toMatchObject({ verdict: "done", streak: 2 });
    expect(folded(items.toReversed())).toMatchObject({ verdict: "done", streak: 2 });
  });
});

test("a report tells how much is remembered, as a map, as its entries or by id, and that memory is off", () => {
  const told = (memory: unknown, input = {}) =>
    buildReport({ steps: { settings: resolveSettings(input), memory } }).report;
  for (const memory of [new Map([["ses_a", {}]]), [["ses_a", {}]], { ses_a: {} }]) {
    expect(told(memory)).toContain("Memory: 1 sessions remembered");
  }
  expect(told([])).not.toContain("Memory");
  expect(told([], { appId: "" })).toContain("Memory is off.");
});

describe("a person's session (decision 5)", () => {
  test.each(["close", "stuck", "judge"])("is closed by no verdict of class %s", (planClass) => {
    const session = { origin: "cron:a", originClass: "human" };
    const decided = decideAction({
      session,
      planClass,
      verdict: "done",
      confidence: 1,
      minConfidence: 0,
      apply: true,
    });
    expect(decided).toMatchObject({ action: "flag", code: "user-origin" });
    const gate = {
      found: true,
      entry: { class: planClass },
      judgedBy: "j",
      originClass: "user",
      closeOk: true,
    };
    expect(applyGate({ ...gate, verdict: "done" })).toMatchObject({ error: "user_origin_never_closed" });
    expect(applyGate({ ...gate, verdict: "blocked" })).toMatchObject({ action: "flagged" });
  });

  test("stays a person's with a parent, and with every origin closable", () => {
    const session = { origin: "cron:a", originClass: "human", parentSessionId: "ses_p" };
    expect(classifyOrigin(session, { closableOrigins: ["*"] })).toBe("user");
  });
});

describe("the fast path and the look before acting (decision 6)", () => {
  const over = {
    sessionId: "ses_a",
    lastToolCall: { tool: "message_parent", kind: "done" },
    worktree: { pr: { state: "merged", number: 3 } },
    turns: [{ role: "assistant", text: "Merged. Nothing left to do." }],
  };
  const taken = (evidence: object) => takeFastPath([{ entry: entry(), evidence }]).decided.length;

  test("a session whose last call says done, with its work merged, needs no judge", () => {
    const { decided, rest } = takeFastPath([{ entry: entry(), evidence: over }]);
    expect(rest).toEqual([]);
    expect(buildJudgedApplyQueue(decided, applying)).toMatchObject([
      { sessionId: "ses_a", verdict: "done", judgedBy: "steward-fast-path" },
    ]);
  });

  test.each([
    ["is busy", { busy: true }],
    ["is to be kept alive", { keepAlive: true }],
    ["waits for input", { awaitingInput: true }],
    ["has live children", { liveChildren: 1 }],
    ["has a call pending", { signals: { pendingToolCall: true } }],
    ["failed lately", { lastTurnErroredAt: ago(5) }],
    ["has an open pull request", { worktree: { pr: { state: "open" } } }],
    ["said it before its last call", { lastToolCall: { tool: "Bash", command: "git commit" } }],
    ["said that it is not done", { lastToolCall: { tool: "message_parent", args: ["not done yet"] } }],
    ["asks something", { turns: [{ role: "assistant", text: "Merged. Should I go on?" }] }],
  ])("not where it %s", (_why, differently) => {
    expect(taken({ ...over, ...differently })).toBe(0);
  });

  test("one that became busy or ended meanwhile is left alone", () => {
    expect(recheckApply(entry(), { status: "running", busy: true }).proceed).toBe(false);
    expect(recheckApply(entry(), { status: "exited" }).proceed).toBe(false);
    expect(recheckApply(entry(), undefined).code).toBe("disappeared");
  });
});

describe("sessions that never ran (decision 7)", () => {
  const row = { id: "ses_n", kind: "agent-cli", status: "running", tokensIn: 0, tokensOut: 0 };
  const settings = resolveSettings({ idleMinutes: 30 });

  test("not while they are young, busy, starting or have something to begin with", () => {
    const old = { ...row, startedAt: ago(40) };
    const of = { nowMs: NOW, idleMinutes: 30 };
    expect(isNeverRan(old, of)).toBe(true);
    expect(isNeverRan({ ...old, startedAt: ago(29) }, of)).toBe(false);
    expect(isNeverRan({ ...old, busy: true }, of)).toBe(false);
    expect(isNeverRan({ ...old, status: "starting" }, of)).toBe(false);
    expect(isNeverRan({ ...old, provisioning: true }, of)).toBe(false);
    expect(isNeverRan({ ...old, pendingPrompts: ["hello"] }, of)).toBe(false);
  });

  test("keep their parent, so that one without an origin may be ended", () => {
    const scan = scanLive(
      { items: [{ ...row, parentSessionId: "ses_p", startedAt: ago(40) }] },
      settings,
      NOW,
    );
    const merged = mergeNeverRan({ close: [], stuck: [], judge: [], judgeOverflow: [] }, scan);
    expect(merged.stuck).toMatchObject([{ sessionId: "ses_n", parentSessionId: "ses_p", class: "stuck" }]);
    expect(buildRuleApplyQueue(merged, applying)).toMatchObject([{ verdict: "abandoned" }]);
  });

  test("of a person are flagged, whatever they call their origin", () => {
    const item = { ...row, origin: "cron:a", originClass: "human", startedAt: ago(40) };
    const merged = mergeNeverRan({}, scanLive({ items: [item] }, settings, NOW));
    expect(buildRuleApplyQueue(merged, applying)).toMatchObject([{ verdict: "needs-input" }]);
  });

  test("are in one class only, and a judge's slot that they leave goes to the next", () => {
    const [a, b, c] = ["ses_a", "ses_b", "ses_c"].map((sessionId) => entry({ sessionId }));
    const close = [entry({ sessionId: "ses_n", class: "close" })];
    const candidates = { close, stuck: [], judge: [a, b], judgeOverflow: [c] };
    const merged = mergeNeverRan(candidates, { neverRan: [{ sessionId: "ses_n" }, { sessionId: "ses_a" }] });
    expect(merged.close).toEqual([]);
    expect(merged.judge).toEqual([b, c]);
    expect(merged.judgeOverflow).toEqual([]);
    expect(merged.stuck?.map(({ sessionId }) => sessionId)).toEqual(["ses_n", "ses_a"]);
  });
});

test("a session that is not busy stalls by an error of its last turn (decision 8)", () => {
  const failed = {
    id: "ses_a",
    status: "running",
    origin: "cron:a",
    lastActivityAt: ago(5),
    lastTurnErroredAt: ago(5),
  };
  const quiet = { id: "ses_b", status: "running", origin: "cron:a", lastActivityAt: ago(50) };
  const scan = scanLive({ items: [failed, quiet] }, {}, NOW);
  expect(buildProposalsStep(scan, [], {}, NOW).proposals).toMatchObject([
    { sessionId: "ses_a", kind: "continue", cause: "stall" },
  ]);
});

describe("confidence (decision 9)", () => {
  test.each([undefined, null, Number.NaN, Infinity, 1.1, -1, "0.9"])("of %s counts as none", (confidence) => {
    const judged = { session: { origin: "cron:a" }, planClass: "judge", verdict: "done", apply: true };
    const decided = decideAction({ ...judged, confidence, minConfidence: 0.1 });
    expect(decided.code).toBe("below-confidence");
  });

  test("a session that says it is done is ended, however malformed the judge's reply was", () => {
    const rows = [verdict({ verdict: "active", confidence: 0, malformed: true })];
    const said = (declared: string) => ({
      results: [{ status: "fulfilled", index: 0, value: { sessionId: "ses_a", declared, line: "" } }],
    });
    const asked = [{ sessionId: "ses_a" }];
    expect(buildJudgedApplyQueue(rows, applying)).toEqual([]);
    expect(buildJudgedApplyQueue(mergeDeclared(rows, asked, said("done")), applying)).toMatchObject([
      { verdict: "done", judgedBy: "steward-ask:ses_a" },
    ]);
    expect(buildJudgedApplyQueue(mergeDeclared(rows, asked, said("not-done")), applying)).toEqual([]);
  });
});

test("the origins that this system emits may be ended only where they are passed (decision 10)", () => {
  const session = { origin: "workflow:memo_a" };
  expect(classifyOrigin(session, resolveSettings({}))).toBe("user");
  expect(classifyOrigin(session, resolveSettings({ closableOrigins: OUR_CLOSABLE_ORIGINS }))).toBe(
    "closable",
  );
});

describe("work under way (decision 11)", () => {
  const close = entry({ class: "close" });

  test.each(["run", "hold", "item"] as const)("a %s keeps its session, and is its reason", (kind) => {
    expect(keepForOwnedWork(close, { kind, since: NOW - HOUR_MS }, NOW)).toMatchObject({
      class: "keep",
      reasons: [{ code: "ownsWork", kind }],
    });
  });

  test("until the ceiling, and no longer", () => {
    const since = NOW - 24 * HOUR_MS;
    expect(keepForOwnedWork(close, { kind: "run", since }, NOW).class).toBe("keep");
    expect(keepForOwnedWork(close, { kind: "run", since: since - 1 }, NOW)).toBe(close);
    expect(keepForOwnedWork(close, { kind: "run", since: NOW - 2 * HOUR_MS }, NOW, 1)).toBe(close);
  });

  test("one young work among wedged ones is enough, and of none nothing changes", () => {
    const wedged = { kind: "run", since: NOW - 48 * HOUR_MS } as const;
    const young = { kind: "hold", since: NOW } as const;
    expect(keepForOwnedWork(close, [wedged, young], NOW).reasons).toEqual([
      { code: "ownsWork", kind: "hold" },
    ]);
    expect(keepForOwnedWork(close, [], NOW)).toBe(close);
    expect(keepForOwnedWork(close, undefined, NOW)).toBe(close);
  });
});

test("a session that is to be kept alive goes to a judge, however sure the rules are", () => {
  const session = { id: "ses_a", kind: "agent-cli", status: "starting", keepAlive: true, startedAt: ago(90) };
  const planned = (signals: object, status: string) =>
    planSessionWrapup({ sessions: [{ ...session, status }], nowMs: NOW, signals: { ses_a: signals } })[0]
      ?.class;
  expect(planned({ stuckStarting: true }, "starting")).toBe("judge");
  expect(planned({ worktreeMerged: true }, "running")).toBe("judge");
});

describe("what speaks against ending a session", () => {
  const asks = { signals: { lastAssistantTail: "All merged. Should I also bump the changelog?" } };

  test("makes a flag of an end by rule or by a judge, not of what never got going", () => {
    const candidates = {
      close: [entry({ class: "close", ...asks })],
      stuck: [entry({ class: "stuck", ...asks })],
    };
    expect(buildRuleApplyQueue(candidates, applying).map((item) => item.verdict)).toEqual([
      "needs-input",
      "abandoned",
    ]);
    expect(buildJudgedApplyQueue([verdict({ entry: entry(asks) })], applying)).toMatchObject([
      { verdict: "needs-input", note: expect.stringContaining("question to the user") },
    ]);
    const open = verdict({ evidence: { worktree: { pr: { state: "open" } } } });
    expect(buildJudgedApplyQueue([open], applying)).toMatchObject([{ verdict: "needs-input" }]);
  });

  test("is what the report says was decided", () => {
    const steps = {
      settings: resolveSettings({}),
      candidatesPlus: { close: [entry({ class: "close", ...asks })] },
      finalVerdicts: [verdict({ entry: entry({ sessionId: "ses_b", ...asks }) })],
    };
    expect(reportRows({ steps }).map((row) => row.decision)).toEqual([
      { action: "flag", code: "work-left", dryRun: true },
      { action: "flag", code: "work-left", dryRun: true },
    ]);
  });

  test("is not looked for in what a session says of itself", () => {
    const said = verdict({ entry: entry(asks), source: "declared", confidence: 1 });
    expect(buildJudgedApplyQueue([said], applying)).toMatchObject([{ verdict: "done" }]);
  });
});

test("the queue's pressure is told beside the host's load (decision 14)", () => {
  expect(hostSaturation({}, { queueAgeMs: 900_000, deadLetters: 0, throttles: 0 }).critical).toBe(false);
  const pressed = {
    queueAgeMs: 900_001,
    deadLetters: 1,
    throttles: 2,
    concurrency: { inUse: 10, limit: 10 },
  };
  expect(hostSaturation({ loadPerCore: 5 }, pressed).signals).toEqual([
    "load",
    "queue-age",
    "dead-letters",
    "throttles",
    "concurrency",
  ]);
});

test("ended sessions of a day want a verdict, the newest first, by what they recorded (decision 15)", () => {
  const ended = (id: string, minutes: number, given: object = {}) => ({
    id,
    status: "killed",
    endedAt: ago(minutes),
    ...given,
  });
  const pr = { openedPrs: [{ number: 7 }], worktree: { pr: { state: "open", number: 7 } } };
  const items = [
    ended("ses_old", 24 * 60 + 1),
    ended("ses_edge", 24 * 60),
    ended("ses_failed", 30, { lastTurnErroredAt: ago(31) }),
    ended("ses_open", 20, pr),
    ended("ses_never", 10, { turnsCompleted: 0 }),
    { id: "ses_when", status: "killed", endedAt: "never" },
  ];
  const queue = buildRelabelQueue(scanLive({ items }, {}, NOW));
  expect(queue.map((row) => [row.sessionId, row.proposedVerdict])).toEqual([
    ["ses_never", "abandoned"],
    ["ses_open", "needs-follow-up"],
    ["ses_failed", "abandoned"],
    ["ses_edge", "unknown"],
  ]);
});
