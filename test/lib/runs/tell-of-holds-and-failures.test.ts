import { afterEach, describe, expect, test, vi } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../lib/core/duration.ts";
import type { Notice } from "../../../lib/notices/notice.ts";
import { MAX_RECOVERY_ATTEMPTS, STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { Killed, killable } from "../../support/kill-switch.ts";
import { createLoop, PLAIN_WORKFLOW, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

vi.setConfig({ testTimeout: 60_000 });

// Rounds serve all owners, so each loop has an engine of its own.
const engines: Engine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
});

let owners = 0;

const withPolicy = (line: string) =>
  PLAIN_WORKFLOW.replace("- **Destination**", `${line}\n- **Destination**`);

/** A loop of an owner of its own, with one workflow. */
async function givenLoop(policy: string, model = scriptedModel(() => "A draft."), title = "Plain") {
  const ownerUid = `owner-${++owners}`;
  const engine = await startEngine();
  engines.push(engine);
  const loop = createLoop(engine, { model });
  await loop.importFiles({ "plain.md": withPolicy(policy).replace("# Plain", `# ${title}`) }, ownerUid);
  const by = {
    principalId: "agent:a",
    kind: "agent",
    ownerUid,
    uid: "a",
    username: "a",
    scopes: [],
  } as const;
  const enqueue = (topic: string) => loop.enqueue("/plain", { topic }, {}, by);
  return { engine, loop, ownerUid, enqueue };
}

async function noticesOf(loop: Loop, ownerUid: string): Promise<Notice[]> {
  const { items } = await loop.notices.list(ownerUid, { state: "all", limit: 100, after: null });
  return items.toReversed();
}

/** Ticks of the rounds until a time has passed. */
async function ticksFor(loop: Loop, ms: number, everyMs: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += everyMs) {
    loop.clock.advance(everyMs);
    await loop.recover();
    await loop.resume();
  }
}

async function heldAt(loop: Loop, runId: string) {
  await loop.settleDown();
  const run = await loop.runs.readHead(runId);
  if (run?.status !== "suspended") throw new Error(`expected a hold, found ${run?.status}`);
  return run.gate;
}

describe("O04: a hold of 24 hours under a tick every 20 minutes", () => {
  test("is called to mind once at half of its time and once at nine tenths, then expires once", async () => {
    const { loop, ownerUid, enqueue } = await givenLoop("- **Hold expires** `24h`");
    const { runId } = await enqueue("reminded");
    const { holdId, openedAt, expiresAt } = await heldAt(loop, runId);
    const shown = async () =>
      (await noticesOf(loop, ownerUid)).map(({ kind, percent }) => (percent ? `${kind} ${percent}` : kind));

    await ticksFor(loop, 12 * HOUR_MS - 20 * MINUTE_MS, 20 * MINUTE_MS);
    expect(await shown()).toEqual([]);
    await ticksFor(loop, HOUR_MS, 20 * MINUTE_MS);
    expect(await shown()).toEqual(["hold_reminder 50"]);
    await ticksFor(loop, 10 * HOUR_MS, 20 * MINUTE_MS);
    expect(await shown()).toEqual(["hold_reminder 50", "hold_reminder 90"]);
    expect((await loop.runs.readHead(runId))?.status).toBe("suspended");
    await ticksFor(loop, 3 * HOUR_MS, 20 * MINUTE_MS);
    expect(await shown()).toEqual(["hold_reminder 50", "hold_reminder 90", "hold_expired"]);
    expect(await loop.runs.readHead(runId)).toMatchObject({ status: "cancelled" });

    const notices = await noticesOf(loop, ownerUid);
    expect(notices.map(({ at }) => at - openedAt)).toEqual([12 * HOUR_MS, 21.6 * HOUR_MS, 24 * HOUR_MS]);
    expect(new Set(notices.map((notice) => notice.holdId))).toEqual(new Set([holdId]));
    expect(notices[0]).toMatchObject({ runId, expiresAt, title: "Plain", readAt: null });
  });

  test("O05: says that the system let it expire, and nowhere that a person rejected it", async () => {
    const { loop, ownerUid, enqueue } = await givenLoop("- **Hold expires** `24h`");
    const { runId } = await enqueue("expires");
    await heldAt(loop, runId);
    await ticksFor(loop, 25 * HOUR_MS, HOUR_MS);
    const run = await loop.runs.readHead(runId);
    expect(run?.gate?.decision).toMatchObject({ verdict: "expire", by: "system", username: "system" });
    const { entries } = await loop.audits.page(ownerUid, { since: 0, limit: 100, after: null });
    expect(entries).toMatchObject([{ act: "hold_expired", by: "system", verdict: "expire" }]);
    const notices = await noticesOf(loop, ownerUid);
    expect(JSON.stringify([run, entries, notices])).not.toMatch(/reject/);
  });
});

test("O06: a hold of the longest time waits 90 days through 1,000 ticks, unrecovered, and lands when approved", async () => {
  const { loop, ownerUid, enqueue } = await givenLoop("- **Hold expires** `365d`");
  const { runId } = await enqueue("patient");
  const { holdId, sha256 } = await heldAt(loop, runId);
  const everyMs = (90 * DAY_MS) / 1000;
  await ticksFor(loop, 90 * DAY_MS, everyMs);
  expect(await loop.runs.readHead(runId)).toMatchObject({
    status: "suspended",
    recoveries: 0,
    gate: { holdId },
  });
  expect(await noticesOf(loop, ownerUid)).toEqual([]);
  const ana = { principalId: "human:ana", kind: "human", uid: "ana", username: "ana" } as const;
  await loop.decide(holdId, sha256, "approve", { ...ana, ownerUid, scopes: ["holds:decide"] });
  await loop.deliver();
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done", landing: { contentVersion: 1 } });
});

test("a reminder whose tick dies at any of its writes is there once", async () => {
  for (const write of [0, 1]) {
    for (const when of ["before", "after"] as const) {
      const { engine, loop, ownerUid, enqueue } = await givenLoop("- **Hold expires** `24h`");
      const { runId } = await enqueue(`dies ${when} ${write}`);
      await heldAt(loop, runId);
      loop.clock.advance(12 * HOUR_MS);
      const { doc, isDead } = killable(engine.doc, { write, when });
      const dying = createLoop(
        { doc, tables: engine.tables },
        { model: scriptedModel({}), clock: loop.clock },
      );
      await expect(dying.recover()).rejects.toThrow(/killed/i);
      expect(isDead()).toBe(true);
      await loop.recover();
      expect(await noticesOf(loop, ownerUid)).toMatchObject([{ kind: "hold_reminder", percent: 50 }]);
    }
  }
});

describe("a run that fails", () => {
  const failing = () => scriptedModel(() => new Error("the model fell over"));

  test("is told once, with its code and without anybody's text", async () => {
    const { loop, ownerUid, enqueue } = await givenLoop("- **Retries** `0`", failing());
    const { runId } = await enqueue("fails");
    await loop.settleDown();
    const run = await loop.runs.readHead(runId);
    if (run?.status !== "failed" || !run.error) throw new Error(`expected a failure, found ${run?.status}`);
    const { code, at } = run.error;
    expect(await noticesOf(loop, ownerUid)).toMatchObject([
      { kind: "run_failed", runId, title: "Plain", at, error: { code } },
    ]);
    await ticksFor(loop, HOUR_MS, 5 * MINUTE_MS);
    expect(await noticesOf(loop, ownerUid)).toHaveLength(1);
  });

  test("is not told where the policy says stop", async () => {
    const { loop, ownerUid, enqueue } = await givenLoop(
      "- **Retries** `0`\n- **On failure** `stop`",
      failing(),
    );
    const { runId } = await enqueue("fails in silence");
    await loop.settleDown();
    expect((await loop.runs.readHead(runId))?.status).toBe("failed");
    expect(await noticesOf(loop, ownerUid)).toEqual([]);
  });

  test("is told too when nobody was left to say it: recovered too often", async () => {
    const { loop, ownerUid, enqueue } = await givenLoop(
      "- **Retries** `0`",
      scriptedModel(() => async () => Promise.reject(new Killed("the process is gone"))),
    );
    const { runId } = await enqueue("goes quiet");
    await loop.pass();
    for (let time = 0; time <= MAX_RECOVERY_ATTEMPTS; time++) {
      const [bell] = loop.bells.splice(0);
      if (!bell) throw new Error("expected a bell");
      // Its runner takes the lease and is never heard of again.
      await loop.runs.writeHead(runId, {
        name: "test lease",
        set: { epoch: bell.epoch + 1, leaseOwner: `lease_${time}`, heartbeatAt: loop.clock.now() },
        when: [],
      });
      loop.clock.advance(STUCK_RUN_MS + 1);
      await loop.recover();
    }
    expect(await loop.runs.readHead(runId)).toMatchObject({ status: "failed" });
    expect(await noticesOf(loop, ownerUid)).toMatchObject([
      { kind: "run_failed", runId, error: { code: "recovery_exhausted" } },
    ]);
  });

  test("whose settling dies at any write is told once when it is settled", async () => {
    for (let write = 0; write < 12; write++) {
      const { engine, loop, ownerUid, enqueue } = await givenLoop("- **Retries** `0`", failing());
      const { runId } = await enqueue(`dies at ${write}`);
      await loop.pass();
      const { doc } = killable(engine.doc, { write, when: "after" });
      const dying = createLoop({ doc, tables: engine.tables }, { model: failing(), clock: loop.clock });
      for (const bell of loop.bells.splice(0)) await dying.run(bell).catch(() => undefined);
      for (let round = 0; round < 4; round++) {
        loop.clock.advance(STUCK_RUN_MS + 1);
        await loop.recover();
        await loop.deliver();
      }
      expect((await loop.runs.readHead(runId))?.status).toBe("failed");
      expect(await noticesOf(loop, ownerUid)).toMatchObject([{ kind: "run_failed", runId }]);
    }
  });
});

test("a run that a person cancels or rejects is no failure and no expiry", async () => {
  const { loop, ownerUid, enqueue } = await givenLoop("- **Hold expires** `24h`");
  const { runId } = await enqueue("rejected");
  const { holdId, sha256 } = await heldAt(loop, runId);
  const ana = { principalId: "human:ana", kind: "human", uid: "ana", username: "ana" } as const;
  await loop.decide(holdId, sha256, "reject", { ...ana, ownerUid, scopes: ["holds:decide"] });
  await ticksFor(loop, 30 * HOUR_MS, HOUR_MS);
  expect((await loop.runs.readHead(runId))?.status).toBe("cancelled");
  expect(await noticesOf(loop, ownerUid)).toEqual([]);
});

test("O36: an emoji across each limit of a notice leaves a well-formed text", async () => {
  const title = `${"x".repeat(199)}🎉`;
  const policy = "- **Hold expires** `24h`";
  const { loop, ownerUid, enqueue } = await givenLoop(
    policy,
    scriptedModel(() => "A draft."),
    title,
  );
  const { runId } = await enqueue("🎉");
  await heldAt(loop, runId);
  await ticksFor(loop, 13 * HOUR_MS, HOUR_MS);
  const [notice] = await noticesOf(loop, ownerUid);
  expect(notice?.title).toBe("x".repeat(199));
  expect(notice?.title?.isWellFormed()).toBe(true);
});
