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

const MERGED = { worktree: { pr: { state: "merged", number: 3 } } };

describe("a session that a person opened", () => {
  test("is ended by a person alone, and not by an agent's key of the same owner", async () => {
    const sessionId = await house.session({}, { principal: house.human });
    await expect(endSession(house, { principal: house.agent, sessionId })).rejects.toMatchObject({
      code: "people_only",
    });
    expect(await house.row(sessionId)).toMatchObject({ status: "live" });
    expect(await endSession(house, { principal: house.human, sessionId })).toMatchObject({ status: "ended" });
  });

  test("is no other for what it calls its origin; an agent ends its own", async () => {
    const sessionId = await house.session({ origin: "vscode" });
    expect(await endSession(house, { principal: house.agent, sessionId })).toMatchObject({ status: "ended" });
  });
});

describe("a session whose last turn failed", () => {
  const verdicts = { rules: { verdict: "done" }, judge: { verdict: "done", judgedBy: "steward-judge" } };
  test.each(Object.entries(verdicts))(
    "is not ended by %s while it stalls, and is later",
    async (_who, verdict) => {
      const sessionId = await house.session({}, { report: MERGED });
      house.pass(60);
      await house.beat(sessionId, {
        busy: false,
        lastTurnErroredAt: house.clock.now(),
        lastTurnError: "429",
      });
      house.pass(10);
      const early = { ...verdict, idleMinutes: 1 };
      expect(await house.apply(sessionId, early)).toMatchObject({
        ok: false,
        error: "refused_stale_or_busy",
      });
      expect(await house.row(sessionId)).toMatchObject({ status: "live" });
      house.pass(50);
      expect(await house.apply(sessionId, verdict)).toMatchObject({ ok: true, action: "closed" });
    },
  );
});

describe("work", () => {
  test("counts up to the end of a turn, and a turn that fails is work", async () => {
    const sessionId = await house.session({}, { report: { busy: true } });
    house.pass(90);
    await house.beat(sessionId, { busy: false });
    expect((await house.row(sessionId)).heartbeat?.progressAt).toBe(house.clock.now());
    house.pass(90);
    await house.beat(sessionId, { busy: false });
    const quiet = house.clock.now() - 90 * 60_000;
    expect((await house.row(sessionId)).heartbeat?.progressAt).toBe(quiet);
    await house.beat(sessionId, { lastTurnErroredAt: house.clock.now() });
    expect((await house.row(sessionId)).heartbeat?.progressAt).toBe(house.clock.now());
  });

  test.each([1e-140, 12.34567, 99.9999])(
    "a host's load and swap of %d are kept to what a store can hold",
    async (value) => {
      const sessionId = await house.session({}, { report: { host: { load1: value, swapPercent: value } } });
      const kept = Math.round(value * 1000) / 1000;
      expect((await house.row(sessionId)).heartbeat?.host).toEqual({ load1: kept, swapPercent: kept });
    },
  );

  test("a host's load that no host has is refused", async () => {
    const sessionId = await house.session();
    await expect(async () => house.beat(sessionId, { host: { load1: 1e125 } })).rejects.toThrow(
      /load1|too_big|Too big/i,
    );
  });
});
