import { expect, test } from "vitest";
import { memoHistory } from "../../../lib/memos/read.ts";
import { STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import { isTerminal } from "../../../lib/runs/run.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { Killed, killable, type KillPoint } from "../../support/kill-switch.ts";
import { createLoop, OWNER, steward, type Loop } from "../../support/loop.ts";
import { givenMemoSteward, said } from "../../support/memo-steward.ts";

/*
 * The process of a pass that acts dies around each write of its action, and before and after the row of what the
 * action gave; another goes on. Every session is ended or flagged once, and one report lands.
 */

let processes = 0;
const idsOf = () => {
  const process = ++processes;
  let count = 0;
  return (prefix: string) => `${prefix}_${process}k${++count}` as never;
};

async function givenHouse(engine: Engine) {
  const answers = { ended: said("done", 0.9), flagged: said("blocked", 0.9) };
  const house = await givenMemoSteward(engine, { answers });
  const ended = await house.session("ended");
  const flagged = await house.session("flagged");
  house.hourLater();
  const { model, clock } = house;
  const processOn = (doc: Engine["doc"]) => createLoop({ ...engine, doc }, { model, clock, ids: idsOf() });
  return { ...house, ended, flagged, processOn };
}
type House = Awaited<ReturnType<typeof givenHouse>>;

async function enqueue(loop: Loop): Promise<string> {
  const { runId } = await loop.enqueue("/steward-sessions", { apply: true }, { dedupeKey: "kill" }, steward);
  return runId;
}

/** The names of the first process's writes; it dies at the point, if there is one. */
async function firstProcess(engine: Engine, house: House, at: KillPoint | undefined): Promise<string[]> {
  const { doc, writes, isDead } = killable(engine.doc, at);
  const loop = house.processOn(doc);
  try {
    await enqueue(loop);
    await loop.settleDown();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Killed;
    if (!isDead() || !(cause || error instanceof Killed)) throw error;
  }
  return writes;
}

async function secondProcess(engine: Engine, house: House): Promise<{ loop: Loop; runId: string }> {
  const loop = house.processOn(engine.doc);
  const runId = await enqueue(loop);
  for (let round = 0; round < 6; round++) {
    house.clock.advance(STUCK_RUN_MS + 1);
    await loop.recover();
    await loop.pass();
    await loop.deliver();
    const run = await loop.runs.readHead(runId);
    if (run && isTerminal(run)) break;
  }
  return { loop, runId };
}

async function assertOnce(house: House, runId: string): Promise<void> {
  const { loop, ended, flagged } = house;
  const { run, report } = await house.reportOf(runId);
  expect(report).toMatch(/\| ended \|.*closed; end \(verdict\)/);
  expect(report).toMatch(/\| flagged \|.*flagged; flag \(verdict\)/);
  expect(await house.row(ended)).toMatchObject({ status: "ended", verdict: { verdict: "done" } });
  expect(await house.row(flagged)).toMatchObject({ status: "live", wrapupFlag: { verdict: "blocked" } });
  expect(await loop.sessions.messages(ended, { notBefore: 0, limit: 10 })).toHaveLength(1);
  expect(
    await house.ledger.ofOwner({ ownerUid: OWNER, appId: "session-steward", mode: "real" }, 10),
  ).toHaveLength(2);
  const acted = await loop.runs.readParts(runId, "ACTION#");
  expect(acted).toMatchObject([{ part: "ACTION#report", action: "apply_session_verdicts", text: report }]);
  expect(await memoHistory(loop, OWNER, run.landing!.memoId as never)).toHaveLength(1);
  expect(house.model.calls).toHaveLength(2);
}

async function withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await startEngine();
  try {
    return await work(engine);
  } finally {
    await engine.stop();
  }
}

test("an action that is cut off anywhere has its effects and its report once", async () => {
  const writes = await withEngine(async (engine) => {
    const house = await givenHouse(engine);
    const made = await firstProcess(engine, house, undefined);
    await assertOnce(house, (await house.loop.runs.runsOfOwner(OWNER, 1)).runIds[0]!);
    return made;
  });
  const kept = writes.findIndex((name) => name.endsWith(" ACTION"));
  const frozen = writes.findIndex((name) => name.endsWith(" PROPOSAL"));
  const first = writes.findLastIndex((name, nth) => nth < kept && name.endsWith(" STEP")) + 1;
  expect(frozen).toBe(kept + 1);
  // The step's checkpoint and the lease, then what the action does: two sessions, a message, two verdicts.
  expect(kept - first).toBeGreaterThanOrEqual(7);
  for (let write = first; write <= frozen; write++) {
    for (const when of ["before", "after"] as const) {
      await withEngine(async (engine) => {
        const house = await givenHouse(engine);
        await firstProcess(engine, house, { write, when });
        const { runId } = await secondProcess(engine, house);
        await assertOnce(house, runId).catch((error: unknown) => {
          throw new Error(`killed ${when} ${writes[write]} (${write})`, { cause: error });
        });
      });
    }
  }
}, 120_000);
