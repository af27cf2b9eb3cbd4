import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { SessionStore } from "../../../lib/sessions/store.ts";
import { startEngine } from "../../support/engine.ts";
import { stewardHouse, type StewardHouse } from "../../support/steward-house.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
let house: StewardHouse;
beforeEach(() => {
  house = stewardHouse(engine);
});

const DONE = { verdict: "done", judgedBy: "steward-judge", note: "its pull request is merged" };
const FLAG = { verdict: "needs-input", judgedBy: "steward-judge", note: "asks a person" };

async function idleSession() {
  const sessionId = await house.session();
  house.pass(60);
  return sessionId;
}

describe("a session that works again", () => {
  /** The store, with something that happens after the last read and before the one write. */
  const between = (happens: () => Promise<unknown>): SessionStore => ({
    ...house.sessions,
    async writeSession(sessionId, write) {
      if (write.name === "close session" || write.name === "flag session") await happens();
      return house.sessions.writeSession(sessionId, write);
    },
  });

  test.each([
    ["busy", { busy: true }],
    ["waiting for a person", { awaitingInput: true }],
    ["waiting for a permission", { awaitingPermission: true }],
    ["with a task in the background", { pendingBackgroundTasks: 1 }],
    ["further, though quiet again", { tokensIn: 11 }],
  ])("%s between the last look and the write is refused", async (_, report) => {
    for (const verdict of [DONE, FLAG]) {
      const id = await idleSession();
      const sessions = between(() => house.beat(id, report));
      expect(await house.apply(id, verdict, house.run(), { sessions })).toEqual({
        sessionId: id,
        ok: false,
        error: "refused_stale_or_busy",
      });
      const row = await house.row(id);
      expect(row).toMatchObject({ status: "live" });
      expect(row.wrapupFlag).toBeUndefined();
      expect(await house.mail(id)).toEqual([]);
    }
  });

  test("by a request between them is refused too", async () => {
    const id = await idleSession();
    const sessions = between(() => house.request(id));
    expect(await house.apply(id, DONE, house.run(), { sessions })).toMatchObject({
      error: "refused_stale_or_busy",
    });
  });

  test("after the write is told that it has ended", async () => {
    const id = await idleSession();
    await house.apply(id, DONE);
    await expect(house.beat(id, { busy: true })).rejects.toMatchObject({ code: "session_ended" });
    expect((await house.row(id)).status).toBe("ended");
    expect(await house.request(id)).toBe("ended");
  });

  test("since the run began is not idle, though it is quiet by now", async () => {
    const id = await idleSession();
    const run = house.run();
    await house.beat(id, { tokensIn: 99 });
    house.pass(50);
    expect(await house.apply(id, DONE, run)).toMatchObject({ error: "keep_class_never_touched" });
  });

  test("is left alone by an idle time of the run, not of the tool", async () => {
    const id = await house.session();
    house.pass(12);
    expect(await house.apply(id, { ...DONE, idleMinutes: 15 })).toMatchObject({
      error: "keep_class_never_touched",
    });
    expect(await house.apply(id, { ...DONE, idleMinutes: 10 })).toMatchObject({ ok: true });
  });

  test("in the moment of the heartbeat itself: one of the two wins, and both know", async () => {
    for (let round = 0; round < 10; round++) {
      const id = await idleSession();
      const [applied, beaten] = await Promise.all([
        house.apply(id, DONE),
        house.beat(id, { busy: true }).then(
          () => true,
          () => false,
        ),
      ]);
      expect(applied["ok"]).toBe(!beaten);
      expect(await house.row(id)).toMatchObject(
        beaten ? { status: "live", busy: true } : { status: "ended" },
      );
    }
  });
});

describe("a second delivery", () => {
  test.each([
    ["close", DONE],
    ["flag", FLAG],
  ])("of a %s answers the same and changes nothing", async (_, verdict) => {
    const id = await idleSession();
    const run = house.run();
    const first = await house.apply(id, verdict, run);
    const row = await house.row(id);
    const mail = await house.mail(id);
    house.pass(5);
    expect(await house.apply(id, { ...verdict, note: "another" }, run)).toEqual(first);
    expect(await house.row(id)).toEqual(row);
    expect(await house.mail(id)).toEqual(mail);
  });

  test("sends the message that the first could not", async () => {
    const id = await idleSession();
    const run = house.run();
    const stopping = { ...house.sessions, putMessage: () => Promise.reject(new Error("stopped")) };
    await expect(house.apply(id, DONE, run, { sessions: stopping })).rejects.toThrow("stopped");
    expect(await house.mail(id)).toEqual([]);
    expect(await house.apply(id, DONE, run)).toMatchObject({ ok: true, action: "closed" });
    expect(await house.mail(id)).toHaveLength(1);
  });

  test("of a write whose answer was lost is recognised", async () => {
    for (const verdict of [DONE, FLAG]) {
      const id = await idleSession();
      const deaf: SessionStore = {
        ...house.sessions,
        async writeSession(sessionId, write) {
          await house.sessions.writeSession(sessionId, write);
          // As the client's own second try would be answered.
          return house.sessions.writeSession(sessionId, write);
        },
      };
      expect(await house.apply(id, verdict, house.run(), { sessions: deaf })).toMatchObject({ ok: true });
    }
  });
});

test("one that was never heard of is stuck after ten minutes, and left alone with its first heartbeat", async () => {
  const sessionId = await house.silent();
  house.pass(9);
  expect(await house.apply(sessionId, { verdict: "abandoned" })).toMatchObject({ ok: false });
  house.pass(1);
  const sessions: SessionStore = {
    ...house.sessions,
    async writeSession(id, write) {
      if (write.name === "close session") await house.beat(id, {});
      return house.sessions.writeSession(id, write);
    },
  };
  expect(await house.apply(sessionId, { verdict: "abandoned" }, house.run(), { sessions })).toMatchObject({
    error: "refused_stale_or_busy",
  });
  expect(await house.apply(sessionId, { verdict: "abandoned" })).toMatchObject({
    error: "keep_class_never_touched",
  });
});
