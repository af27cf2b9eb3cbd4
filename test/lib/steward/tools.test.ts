import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { endSession } from "../../../lib/sessions/end.ts";
import { startEngine } from "../../support/engine.ts";
import { stewardHouse, type StewardHouse } from "../../support/steward-house.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
let house: StewardHouse;
beforeEach(() => {
  house = stewardHouse(engine);
});

const end = (sessionId: string, outcome?: string) =>
  endSession(house, { principal: house.agent, sessionId, ...(outcome && { outcome }) });
const idsOf = (rows: { id?: string; sessionId?: string }[]) => rows.map((row) => row.id ?? row.sessionId);

describe("session_list", () => {
  test("has every live session and those that ended within the window, in the words of the rules", async () => {
    const long = await house.session();
    await end(long);
    house.pass(25 * 60);
    const ended = await house.session();
    const live = await house.session(
      { parentSessionId: ended, keepAlive: true },
      {
        report: {
          busy: true,
          turnsCompleted: 2,
          lastTurnErroredAt: 1,
          openedPrs: [{ url: "https://github.com/o/r/pull/12", state: "merged" }],
        },
      },
    );
    await end(ended, "merged");
    const { items, nextCursor, leftOut } = await house.value("session_list", house.run(), {
      full: true,
    });
    expect(idsOf(items)).toEqual([live, ended]);
    expect({ nextCursor, leftOut }).toEqual({ nextCursor: null, leftOut: { live: false, ended: false } });
    expect(items[0]).toMatchObject({
      kind: "agent-cli",
      status: "running",
      label: "n",
      origin: "cron:job",
      originClass: "agent",
      parentSessionId: ended,
      busy: true,
      keepAlive: true,
      tokensIn: 10,
      tokensOut: 5,
      turnsCompleted: 2,
      lastActivityAt: new Date(house.clock.now()).toISOString(),
      lastTurnErroredAt: new Date(1).toISOString(),
      openedPrs: [{ number: 12, state: "merged" }],
      worktree: { pr: { state: "merged", number: 12 } },
    });
    expect(items[1]).toMatchObject({ status: "exited", outcome: { status: "produced", summary: "merged" } });
    expect(items[1].outcome).not.toHaveProperty("verdict");
  });

  test("finds a session that a person ended after it had been idle for days", async () => {
    const id = await house.session();
    house.pass(5 * 24 * 60);
    await house.session();
    await end(id);
    const { items } = await house.value("session_list", house.run());
    expect(idsOf(items)).toContain(id);
  });

  test("names one of which nothing was heard as starting, and nobody else's at all", async () => {
    await stewardHouse(engine).session();
    const { items } = await house.value("session_list", house.run());
    expect(items).toEqual([]);
  });
});

describe("session_wrapup_plan", () => {
  test("judges an agent with a heartbeat timer by its work: idle from the run's own threshold on", async () => {
    const id = await house.session();
    for (let minute = 0; minute < 30; minute++) {
      house.pass(1);
      await house.beat(id, { tokensIn: 10, tokensOut: 5, busy: false });
    }
    const plan = (idleMinutes: number) =>
      house.value("session_wrapup_plan", house.run(), { idleMinutes, includeKeep: true });
    expect((await plan(30)).entries).toMatchObject([{ sessionId: id, idleMinutes: 30, class: "judge" }]);
    expect((await plan(31)).entries).toMatchObject([{ class: "keep", reasons: [{ code: "idle-below" }] }]);
  });

  test("keeps what has work under way, and leaves kept ones out unless they are asked for", async () => {
    const [working, idle] = [await house.session(), await house.session()];
    house.pass(60);
    house.work.set(working, { kind: "hold", since: house.clock.now() });
    const plan = await house.value("session_wrapup_plan", house.run(), { idleMinutes: 30 });
    expect(idsOf(plan.entries)).toEqual([idle]);
    const whole = await house.value("session_wrapup_plan", house.run(), {
      idleMinutes: 30,
      includeKeep: true,
    });
    expect(whole.entries).toContainEqual(
      expect.objectContaining({ sessionId: working, reasons: [{ code: "ownsWork", kind: "hold" }] }),
    );
  });

  test("closes by rules what its parent left behind or is merged, and says who opened it", async () => {
    const parent = await house.session();
    const child = await house.session({ parentSessionId: parent });
    await end(parent);
    const merged = await house.session(
      {},
      { principal: house.human, report: { worktree: { pr: { state: "merged" } }, rssBytes: 5 } },
    );
    house.pass(60);
    const { entries, totals } = await house.value("session_wrapup_plan", house.run(), { idleMinutes: 30 });
    expect(entries).toMatchObject([
      { sessionId: child, class: "close", signals: { parentEnded: true } },
      { sessionId: merged, class: "close", originClass: "human", signals: { worktreeMerged: true } },
    ]);
    expect(totals).toEqual({ close: 5 });
  });

  test("does not take work for merged while one of its pull requests is not", async () => {
    const url = (n: number) => `https://github.com/o/r/pull/${n}`;
    const merged = { url: url(1), state: "merged" };
    await house.session({}, { report: { openedPrs: [merged, { url: url(2), state: "open" }] } });
    await house.session({}, { report: { openedPrs: [merged, { url: url(3) }] } });
    house.pass(60);
    const { entries } = await house.value("session_wrapup_plan", house.run(), { idleMinutes: 30 });
    expect(entries.map((entry: { class: string }) => entry.class)).toEqual(["judge", "judge"]);
    expect(entries[0].signals).toMatchObject({ worktreePrOpen: true });
  });
});

describe("session_evidence", () => {
  test("shows what the agent told, within its bounds, and never half a character", async () => {
    const turns = [
      { role: "user", text: `A${"x".repeat(2000)}` },
      ...Array.from({ length: 8 }, () => ({ role: "assistant", text: `${"😀".repeat(1000)}!` })),
      { role: "assistant", text: `${"y".repeat(1000)}END` },
    ];
    const id = await house.session({}, { report: { turns, toolCalls: [{ tool: "Read", command: "a.ts" }] } });
    const evidence = await house.value("session_evidence", house.run(), { sessionId: id });
    const shown: { role: string; text: string }[] = evidence.turns;
    expect(shown.at(-1)?.text.endsWith("END")).toBe(true);
    expect(shown.every(({ text }) => text.length <= 900 && text.isWellFormed())).toBe(true);
    expect(shown.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(3000);
    expect(evidence).toMatchObject({
      sessionId: id,
      status: "running",
      liveChildren: 0,
      lastToolCall: { tool: "Read", command: "a.ts" },
      toolStats: { total: 1, distinct: 1, ratio: 1 },
      pullRequests: { opened: 0, merged: 0, state: null },
    });
  });

  test("has the requests of a session whose agent tells no calls", async () => {
    const id = await house.session();
    for (let n = 0; n < 3; n++) {
      house.pass(1);
      await house.request(id);
    }
    const calls = await house.value("tool_calls_list", house.run(), { sessionId: id, lastN: 2 });
    expect(calls).toMatchObject({ items: [{ tool: "GET /api/memos", args: ["d"] }, {}], nextCursor: null });
    expect(calls.items).toHaveLength(2);
    const { toolStats } = await house.value("session_evidence", house.run(), { sessionId: id });
    expect(toolStats).toMatchObject({ total: 3, distinct: 1 });
  });

  test("of another owner's session is that of one that is not there", async () => {
    const other = await stewardHouse(engine).session();
    for (const tool of ["session_evidence", "tool_calls_list", "session_ask"]) {
      await expect(house.call(tool, house.run(), { sessionId: other })).rejects.toMatchObject({
        code: "session_not_found",
      });
    }
  });
});

describe("session_ask", () => {
  const ask = (sessionId: string, run: ReturnType<StewardHouse["run"]>) =>
    house.call("session_ask", run, { sessionId });
  const say = (sessionId: string, text: string) =>
    house.beat(sessionId, { turns: [{ role: "assistant", text }] });

  test("asks once, however often it is called, until a turn answers", async () => {
    const id = await house.session();
    await say(id, "STEWARD: DONE of an earlier time");
    const run = house.run();
    expect(await ask(id, run)).toEqual({ againAfterSec: 45 });
    house.clock.advance(45_000);
    await say(id, "Let me see.");
    expect(await ask(id, run)).toEqual({ againAfterSec: 45 });
    expect(await house.mail(id)).toHaveLength(1);
    await say(id, "Well.\nSTEWARD: NOT-DONE tests are red");
    expect(await ask(id, run)).toMatchObject({
      value: { sessionId: id, declared: "not-done", line: "tests are red" },
    });
    expect(await house.mail(id)).toMatchObject([{ kind: "question" }]);
  });

  test("gives up after three minutes, and asks anew in another run", async () => {
    const id = await house.session();
    const run = house.run();
    await ask(id, run);
    house.clock.advance(179_999);
    expect(await ask(id, run)).toEqual({ againAfterSec: 45 });
    house.clock.advance(1);
    expect(await ask(id, run)).toMatchObject({ value: { declared: null } });
    await ask(id, house.run());
    expect(await house.mail(id)).toHaveLength(2);
  });

  test("of a session that has ended is not put", async () => {
    const id = await house.session();
    await end(id);
    expect(await ask(id, house.run())).toEqual({ value: { sessionId: id, declared: null, ended: true } });
    expect(await house.mail(id)).toEqual([]);
  });
});

describe("the memory", () => {
  const event = (verdict: string) => ({
    payload: {
      kind: "steward-verdict",
      sessionId: "ses_1",
      verdict,
      confidence: 0.9,
      fingerprint: "f",
    },
  });
  const remember = (run: ReturnType<StewardHouse["run"]>, mode: string, verdict = "done", appId = "app") =>
    house.value("app_state_append", run, { appId, mode, event: event(verdict) });
  const remembered = async (run: ReturnType<StewardHouse["run"]>, mode: string, limit = 5) =>
    (await house.value("app_state_list", run, { appId: "app", mode, sessionId: "ses_1", limit })).events.map(
      (one: { payload: { verdict: string } }) => one.payload.verdict,
    );

  test("gives the newest in the order in which they were", async () => {
    for (const verdict of ["a", "b", "c", "d"]) {
      house.pass(60);
      await remember(house.run(), "real", verdict);
    }
    expect(await remembered(house.run(), "real", 3)).toEqual(["b", "c", "d"]);
  });

  test("of a dry run is read by dry runs alone, and one that an agent asks for is dry", async () => {
    await remember(house.run(), "dry", "abandoned");
    const byAgent = house.run({ requestedBy: { ...house.run().requestedBy, kind: "agent" } });
    await remember(byAgent, "real", "blocked");
    expect(await remembered(house.run(), "real")).toEqual([]);
    expect((await remembered(house.run(), "dry")).toSorted()).toEqual(["abandoned", "blocked"]);
    expect((await remembered(byAgent, "real")).toSorted()).toEqual(["abandoned", "blocked"]);
  });

  test("is off where the app has no name", async () => {
    expect(await remember(house.run(), "real", "done", "")).toEqual({ id: null });
    const { events } = await house.value("app_state_list", house.run(), { appId: "", mode: "real" });
    expect(events).toEqual([]);
  });

  test("takes no more of an event than a verdict has", async () => {
    const bad = { ...event("done").payload, fingerprint: "x".repeat(9000) };
    await expect(
      house.call("app_state_append", house.run(), { appId: "app", mode: "real", event: { payload: bad } }),
    ).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("host_load", () => {
  test("has the worst of every measure among fresh reports, each host once", async () => {
    const host = (name: string, load1: number, memAvailableBytes: number) => ({
      report: { host: { name, cores: 4, load1, memTotalBytes: 1000, memAvailableBytes, swapPercent: 1 } },
    });
    await house.session({}, host("stale", 99, 1));
    house.pass(16);
    await house.session({}, host("a", 20, 900));
    house.pass(1);
    await house.session({}, host("a", 8, 800));
    await house.session({}, host("b", 2, 100));
    const pressure = { queuePressure: async () => ({ oldestSec: 5, deadLetters: null }) };
    expect(await house.call("host_load", house.run(), {}, pressure)).toMatchObject({
      value: {
        loadPerCore: 2,
        memory: { totalBytes: 1000, availableBytes: 100 },
        swap: { percent: 1 },
        hosts: [{ name: "a" }, { name: "b" }],
        queues: { oldestSec: 5, deadLetters: null },
      },
    });
  });

  test("of silent hosts is empty", async () => {
    await house.session();
    expect(await house.value("host_load", house.run())).toEqual({ hosts: [], queues: null });
  });
});

test("a tool says at which place it cannot take its input", async () => {
  const failing = house.call("session_wrapup_apply", house.run(), { sessionIds: [], verdict: "done" });
  await expect(failing).rejects.toMatchObject({ code: "invalid_request" });
  await expect(failing).rejects.toThrow("/sessionIds");
});

test("the roles are those of the deployment, by name", async () => {
  expect(await house.value("model_roles", house.run())).toEqual({ "judge.session": "small" });
});
