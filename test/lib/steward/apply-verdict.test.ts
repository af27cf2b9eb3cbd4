import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { end } from "../../../lib/sessions/session.ts";
import { closeWrite } from "../../../lib/sessions/writes.ts";
import { startEngine } from "../../support/engine.ts";
import { agentOf } from "../../support/http-event.ts";
import { stewardHouse, type StewardHouse } from "../../support/steward-house.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
let house: StewardHouse;
beforeEach(() => {
  house = stewardHouse(engine);
});

const DONE = { verdict: "done", judgedBy: "steward-judge", note: "its pull request is merged" };
const FLAG = { verdict: "needs-input", judgedBy: "steward-judge", note: "asks a person" };
const HOUR_MS = 60 * 60 * 1000;

async function idleSession(more = {}, how = {}) {
  const sessionId = await house.session(more, how);
  house.pass(60);
  return sessionId;
}

describe("a verdict that closes", () => {
  test("ends the session with what is on record of it, and leaves a message", async () => {
    const id = await idleSession();
    expect(await house.apply(id, DONE)).toEqual({
      sessionId: id,
      ok: true,
      class: "judge",
      action: "closed",
    });
    expect(await house.row(id)).toMatchObject({
      status: "ended",
      endedAt: house.clock.now(),
      endedBy: { principalId: house.human.principalId },
      verdict: {
        verdict: "done",
        source: "judged",
        judgedBy: "steward-judge",
        note: "its pull request is merged",
        endedReason: "steward-completed",
      },
    });
    expect(await house.mail(id)).toMatchObject([{ kind: "close_request", from: "steward" }]);
  });

  test("tells the agent with its next heartbeat to stop, why, and how to go on", async () => {
    const id = await idleSession();
    await house.apply(id, { ...DONE, verdict: "abandoned", note: "nobody\ncame back" });
    const refusal = await house.beat(id, { busy: true }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "session_ended", details: { verdict: "abandoned" } });
    const { message } = refusal as Error;
    expect(message).toContain("stop working in it");
    expect(message).toContain('as abandoned ("nobody came back")');
    expect(message).toContain(`continuedFrom "${id}"`);
  });

  test("by rules alone is declared by them, and only where no judge is needed", async () => {
    const parent = await house.session();
    const child = await house.session({ parentSessionId: parent });
    house.pass(60);
    expect(await house.apply(child, { verdict: "done" })).toMatchObject({
      error: "keep_class_never_touched",
    });
    await house.apply(parent, DONE);
    const other = await idleSession();
    expect(await house.apply(other, { verdict: "done" })).toMatchObject({ error: "ambiguous_needs_judge" });
    expect(await house.apply(child, { verdict: "done" })).toMatchObject({ ok: true, class: "close" });
    expect(await house.row(child)).toMatchObject({
      verdict: { source: "declared", judgedBy: "steward-rules" },
    });
  });

  test("ends by rules one that never ran, however young its last request", async () => {
    const id = await house.session({}, { report: { tokensIn: 0, tokensOut: 0 } });
    house.pass(29);
    expect(await house.apply(id, { verdict: "abandoned" })).toMatchObject({ ok: false });
    house.pass(31);
    expect(await house.apply(id, { verdict: "abandoned" })).toMatchObject({ ok: true, class: "stuck" });
    expect(await house.row(id)).toMatchObject({ verdict: { endedReason: "steward-abandoned" } });
  });
});

describe("a verdict that flags", () => {
  test("leaves the session live and its agent at peace", async () => {
    const id = await idleSession();
    expect(await house.apply(id, FLAG)).toMatchObject({ ok: true, action: "flagged" });
    expect(await house.row(id)).toMatchObject({
      status: "live",
      wrapupFlag: { verdict: "needs-input", note: "asks a person", judgedBy: "steward-judge" },
    });
    expect(await house.mail(id)).toEqual([]);
  });

  test("takes the place of an earlier one, and an older run that comes late takes none", async () => {
    const id = await idleSession();
    const older = house.run();
    house.pass(60);
    const newer = house.run();
    house.pass(1);
    expect(await house.apply(id, { ...FLAG, verdict: "blocked" }, newer)).toMatchObject({ ok: true });
    expect(await house.apply(id, FLAG, older)).toMatchObject({ error: "refused_stale_or_busy" });
    expect((await house.row(id)).wrapupFlag?.verdict).toBe("blocked");
    house.pass(60);
    expect(await house.apply(id, FLAG)).toMatchObject({ ok: true });
    expect((await house.row(id)).wrapupFlag?.verdict).toBe("needs-input");
  });

  test("stays with a session that ends later", async () => {
    const id = await idleSession();
    await house.apply(id, FLAG);
    house.pass(60);
    await house.apply(id, DONE);
    expect(await house.row(id)).toMatchObject({ status: "ended", wrapupFlag: { verdict: "needs-input" } });
  });
});

describe("a session is never closed", () => {
  test.each([
    ["opened by a person's credential, whatever it calls its origin", { origin: "cron:job" }, true],
    ["of an origin of people", { origin: "chat-starter" }, false],
    ["of an unknown origin without a parent", { origin: "elsewhere" }, false],
  ])("%s: at most it is flagged", async (_, more, byHuman) => {
    const principal = byHuman ? house.human : house.agent;
    const id = await idleSession(more, { principal });
    for (const verdict of ["done", "abandoned"]) {
      expect(await house.apply(id, { ...DONE, verdict })).toEqual({
        sessionId: id,
        ok: false,
        error: "user_origin_never_closed",
      });
    }
    expect(await house.apply(id, FLAG)).toMatchObject({ ok: true, action: "flagged" });
    expect((await house.row(id)).status).toBe("live");
  });

  test("a person's, also when the policy of the run closes every origin", async () => {
    const id = await idleSession({}, { principal: house.human });
    const everything = { closableOrigins: ["*"], userOrigins: ["nobody"] };
    expect(await house.apply(id, { ...DONE, ...everything })).toMatchObject({ ok: false });
  });

  test("to be kept alive, by rules or by its agent's word alone, and by a judge it is", async () => {
    const id = await idleSession({ keepAlive: true }, { report: { tokensIn: 0, tokensOut: 0 } });
    for (const judgedBy of [undefined, "steward-rules", "steward-fast-path"]) {
      expect(await house.apply(id, { ...DONE, judgedBy })).toMatchObject({
        error: "ambiguous_needs_judge",
      });
    }
    expect(await house.apply(id, DONE)).toMatchObject({ ok: true });
  });

  test("to be kept alive, by rules, when nothing was ever heard of it", async () => {
    const id = await house.silent({ keepAlive: true });
    house.pass(60);
    expect(await house.apply(id, { verdict: "abandoned" })).toMatchObject({
      error: "ambiguous_needs_judge",
    });
    expect(await house.apply(id, { ...DONE, verdict: "abandoned" })).toMatchObject({ ok: true });
  });

  test("a person's, by the write itself, whoever asks for it", async () => {
    const id = await idleSession({}, { principal: house.human });
    const session = await house.row(id);
    if (session.status !== "live") throw new Error("expected a live session");
    const verdict = {
      verdict: "done",
      planClass: "judge",
      source: "judged",
      judgedBy: "j",
      note: "",
      endedReason: "steward-completed",
      at: house.clock.now(),
      token: "t",
    } as const;
    const closed = { ...end(session, session.createdBy, null, verdict.at), verdict };
    expect(await house.sessions.writeSession(id, closeWrite(session, closed))).toBe(false);
  });

  test("that asked for the run, or that the run names", async () => {
    const [asking, named] = [await house.session(), await house.session()];
    house.pass(60);
    const run = house.run({ sessionId: asking });
    const kept = { ok: false, error: "keep_class_never_touched" };
    expect(await house.apply(asking, DONE, run)).toMatchObject(kept);
    expect(await house.apply(named, { ...DONE, callerSessionId: named }, run)).toMatchObject(kept);
  });

  test("with a busy child", async () => {
    const parent = await house.session();
    await house.session({ parentSessionId: parent }, { report: { busy: true } });
    house.pass(60);
    expect(await house.apply(parent, DONE)).toMatchObject({ error: "keep_class_never_touched" });
  });

  test.each(["run", "hold", "item"] as const)("with a %s under way, until it is a day old", async (kind) => {
    const id = await idleSession();
    house.work.set(id, { kind, since: house.clock.now() - 24 * HOUR_MS });
    expect(await house.apply(id, DONE)).toMatchObject({ error: "keep_class_never_touched" });
    expect(await house.apply(id, FLAG)).toMatchObject({ error: "keep_class_never_touched" });
    house.work.set(id, { kind, since: house.clock.now() - 24 * HOUR_MS - 1 });
    expect(await house.apply(id, DONE)).toMatchObject({ ok: true });
  });
});

describe("a session that is no one's to close", () => {
  test("another owner's is answered as one that is not there, and stays as it is", async () => {
    const other = stewardHouse(engine);
    const id = await other.session();
    other.pass(60);
    house.pass(60);
    const unknown = "ses_unknown";
    expect(await house.apply(id, DONE)).toEqual({ sessionId: id, ok: false, error: "not_found" });
    expect(await house.apply(unknown, DONE)).toEqual({ sessionId: unknown, ok: false, error: "not_found" });
    expect(await house.apply("../SESSION", DONE)).toMatchObject({ error: "not_found" });
    expect((await other.row(id)).status).toBe("live");
  });

  test("one that has ended is no candidate", async () => {
    const id = await idleSession();
    await house.apply(id, DONE);
    expect(await house.apply(id, DONE)).toMatchObject({ error: "not_a_candidate" });
  });
});

describe("a dry run", () => {
  test.each([undefined, false, "true", 1])("with apply %j changes nothing", async (apply) => {
    const id = await idleSession();
    const before = await house.row(id);
    expect(await house.apply(id, { ...DONE, apply })).toEqual({
      sessionId: id,
      ok: false,
      error: "dry_run",
    });
    expect(await house.row(id)).toEqual(before);
  });

  test("is what an agent's run stays, whatever its input says; a schedule's is not", async () => {
    const id = await idleSession();
    const { principalId, uid, username } = agentOf("x");
    for (const kind of ["agent", "chat", "loop"] as const) {
      const run = house.run({ requestedBy: { principalId, kind, uid, username } });
      expect(await house.apply(id, DONE, run)).toMatchObject({ error: "requester_may_not_apply" });
    }
    const run = house.run({ requestedBy: { principalId: "schedule:1", kind: "schedule", uid, username } });
    expect(await house.apply(id, DONE, run)).toMatchObject({ ok: true });
  });
});

test("the agent's own word counts while its merged work stands beside it, by the fast path alone", async () => {
  const pulls = { worktree: { pr: { state: "merged" as const } } };
  const closedToo = { openedPrs: [{ url: "https://github.com/o/r/pull/8", state: "closed" as const }] };
  const told = { toolCalls: [{ tool: "message_parent", kind: "done" }], ...pulls, ...closedToo };
  const byItself = { ...DONE, judgedBy: "steward-fast-path" };
  const silent = await idleSession({}, { report: { ...pulls, ...closedToo } });
  expect(await house.apply(silent, byItself)).toMatchObject({ error: "ambiguous_needs_judge" });
  const id = await idleSession({}, { report: told });
  expect(await house.apply(id, { ...DONE, judgedBy: "steward-rules" })).toMatchObject({
    error: "ambiguous_needs_judge",
  });
  expect(await house.apply(id, byItself)).toMatchObject({ ok: true, class: "judge" });
  expect(await house.row(id)).toMatchObject({
    verdict: { source: "declared", judgedBy: "steward-fast-path" },
  });
});
