import { describe, expect, test } from "vitest";
import { MINUTE_MS, SECOND_MS } from "../../lib/core/duration.ts";
import { recover, STUCK_RUN_MS } from "../../lib/runs/recover.ts";
import { heartbeat, lease } from "../../lib/runs/writes.ts";
import { testClock } from "../support/clock.ts";
import { Killed, killable } from "../support/kill-switch.ts";
import { AUTO_WORKFLOW, createLoop, PLAIN_WORKFLOW } from "../support/loop.ts";
import { createMemoryEngine } from "../support/memory/engine.ts";
import { scriptedModel } from "../support/scripted-model.ts";

/*
 * Runners that live, die and go on under clocks that do not agree; holds whose process dies beside them.
 */

async function givenLoop() {
  const engine = createMemoryEngine();
  const loop = createLoop(engine, { model: scriptedModel(() => "A draft.") });
  await loop.importFiles({ "auto.md": AUTO_WORKFLOW, "plain.md": PLAIN_WORKFLOW });
  return { engine, loop };
}

/** A run whose runner has its lease and beats when the test says so. */
async function givenLeased() {
  const { engine, loop } = await givenLoop();
  const { runId } = await loop.enqueue("/auto", { topic: "Clocks" });
  await loop.pass();
  const { clock } = loop;
  await loop.runs.writeHead(runId, lease(0, "lease_1", clock.now()));
  const beat = () => loop.runs.writeHead(runId, heartbeat(1, clock.now()));
  const recoverAt = (aheadMs: number) =>
    recover({ ...loop.recoverDeps, clock: testClock(clock.now() + aheadMs) });
  return { engine, loop, runId, clock, beat, recoverAt };
}

test("F19: a runner that beats for 30 minutes is never recovered, and one that stops is, exactly once", async () => {
  const { loop, runId, clock, beat, recoverAt } = await givenLeased();
  for (let ms = 0; ms < 30 * MINUTE_MS; ms += 30 * SECOND_MS) {
    clock.advance(30 * SECOND_MS);
    await beat();
    expect(await recoverAt(0)).toMatchObject({ recovered: 0, redispatched: 0 });
  }
  clock.advance(STUCK_RUN_MS + 1);
  expect(await recoverAt(0)).toMatchObject({ recovered: 1 });
  expect(await recoverAt(0)).toMatchObject({ recovered: 0 });
  expect(await loop.runs.readHead(runId)).toMatchObject({ epoch: 2, recoveries: 1 });
});

describe("F47: recover's clock is off by 90 s", () => {
  test.each([90 * SECOND_MS, -90 * SECOND_MS])(
    "by %i ms: a run that beats every minute is never taken",
    async (off) => {
      const { clock, beat, recoverAt } = await givenLeased();
      for (let minute = 0; minute < 30; minute++) {
        clock.advance(MINUTE_MS);
        expect(await recoverAt(off)).toMatchObject({ recovered: 0 });
        await beat();
      }
    },
  );

  test.each([90 * SECOND_MS, -90 * SECOND_MS])(
    "by %i ms: a dead one is taken on the first tick past the limit",
    async (off) => {
      const { clock, recoverAt } = await givenLeased();
      clock.advance(STUCK_RUN_MS - off);
      expect(await recoverAt(off)).toMatchObject({ recovered: 0 });
      clock.advance(1);
      expect(await recoverAt(off)).toMatchObject({ recovered: 1 });
    },
  );
});

test("O21: a heartbeat that was read is the condition: a recoverer 15 minutes ahead takes no run that has beaten since", async () => {
  const { engine, loop, runId, clock, beat } = await givenLeased();
  const ahead = testClock(clock.now() + 15 * MINUTE_MS);
  let hasRead = false;
  // The runner beats between the recoverer's read and its write.
  const send = async (command: Parameters<typeof engine.answer>[0]) => {
    if (hasRead && command.constructor.name === "UpdateCommand") {
      hasRead = false;
      clock.advance(30 * SECOND_MS);
      await beat();
    }
    if (command.constructor.name === "BatchGetCommand") hasRead = true;
    return engine.answer(command);
  };
  const other = createLoop({ doc: { send } as never, tables: engine.tables }, { model: scriptedModel({}) });
  expect(await recover({ ...other.recoverDeps, clock: ahead })).toMatchObject({ recovered: 0 });
  expect(await loop.runs.readHead(runId)).toMatchObject({ epoch: 1, leaseOwner: "lease_1" });
});

test("O21: a heartbeat with an earlier time never lowers the stored one", async () => {
  const { loop, runId, clock } = await givenLeased();
  const at = clock.now();
  await loop.runs.writeHead(runId, heartbeat(1, at + 60));
  expect(await loop.runs.writeHead(runId, heartbeat(1, at + 30))).toBeUndefined();
  expect((await loop.runs.readHead(runId))?.heartbeatAt).toBe(at + 60);
});

test("O28: a hold whose process died right beside its row still expires: its deadline is its own", async () => {
  const { engine, loop } = await givenLoop();
  const { runId } = await loop.enqueue("/plain", { topic: "Beside" });
  await loop.pass();
  const isGate = () => engine.rows("runs").some(({ status }) => status === "suspending");
  const { clock } = loop;
  // Dies after each write in turn, until one of them was the gate's.
  for (let write = 0; !isGate(); write++) {
    const [bell] = loop.bells.splice(0);
    const { doc } = killable(engine.doc, { write: 3, when: "after" });
    const dying = createLoop(
      { doc, tables: engine.tables },
      { model: scriptedModel(() => "A draft."), clock },
    );
    await dying.run(bell!).catch((error: unknown) => {
      if (!(error instanceof Error && (error instanceof Killed || error.cause instanceof Killed)))
        throw error;
    });
    if (isGate()) break;
    expect(write).toBeLessThan(20);
    clock.advance(STUCK_RUN_MS + 1);
    await loop.recover();
  }
  clock.advance(STUCK_RUN_MS + 1);
  await loop.recover();
  const held = await loop.runs.readHead(runId);
  expect(held).toMatchObject({ status: "suspended" });
  clock.advance(held!.gate!.expiresAt - clock.now());
  await loop.recover();
  await loop.recover();
  expect(await loop.runs.readHead(runId)).toMatchObject({
    status: "cancelled",
    gate: { decision: { verdict: "expire", by: "system" } },
  });
});
