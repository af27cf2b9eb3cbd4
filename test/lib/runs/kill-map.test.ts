import { PutCommand, QueryCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Registered } from "../../../lib/core/registered.ts";
import { conditional } from "../../../lib/core/storage-error.ts";
import { memoHistory } from "../../../lib/memos/read.ts";
import type { RunBell } from "../../../lib/queue/doorbell.ts";
import { elementPrefix, placeOfElementPart } from "../../../lib/runs/parts.ts";
import { STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import type { EndedRun } from "../../../lib/runs/rerun.ts";
import { isTerminal } from "../../../lib/runs/run.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { Killed, killable, type KillPoint } from "../../support/kill-switch.ts";
import { agent, createLoop, OWNER, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { bundledFile, FILE_ID, toolOf } from "../../support/workflow-file.ts";

/*
 * A process dies before or after each write of a run with a map; another goes on with what is in the store. Each
 * item has one effect and one answer, and the report lands once, whatever the point.
 */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const PARTS = {
  more: `metadata:
  budget: { run: { tokens: 100000 }, day: { tokens: 1000000 } }
  memo: { from: report }`,
  steps: `  - { id: list, kind: tool, tool: list }
  - id: each
    kind: map
    over: $steps.list
    parallelism: 2
    onError: collect
    steps:
      - { id: act, kind: tool, tool: act, input: $item }
      - { id: ask, kind: agent, prompt: Say what it is., input: { seen: $steps.act } }
  - { id: report, kind: transform, transform: report, input: $steps.each }`,
};
const ITEMS = ["a", "bad", "c"];

/** Every third point of each kind, begun at another one; all of them when asked for. */
const STRIDE = process.env["KILL_POINTS"] === "all" ? 1 : 3;

let owners = 0;
const ids = (process: string) => (prefix: string) => `${prefix}_${process}m${++owners}` as never;

/** A tool with one effect for each place, as those that change something must have. */
const registeredOn = (doc: DynamoDBDocumentClient, waits: Set<string>): Registered => ({
  tools: {
    list: toolOf("list", async () => ({ value: ITEMS })),
    act: toolOf("act", async ({ runId, itemPlace }, input) => {
      // The last item is waited for once, so that the run is let go in the middle of its map.
      if (input === "c" && !waits.has(runId)) {
        waits.add(runId);
        return { againAfterSec: 1 };
      }
      const Item = { pk: `effect#${runId}`, sk: itemPlace };
      await conditional("effect", () =>
        doc.send(
          new PutCommand({
            TableName: engine.tables.control,
            Item,
            ConditionExpression: "attribute_not_exists(pk)",
          }),
        ),
      );
      return { value: input };
    }),
  },
  transforms: { report: (input) => `# Report\n\n${JSON.stringify(input)}` },
});

function givenWorld() {
  const model = scriptedModel(({ parts }) => {
    const { text } = parts[0]!;
    return text.includes("bad") ? { text: "", stop: "refusal" } : { text: `said of ${text}` };
  });
  return {
    ownerUid: `${OWNER}-map${++owners}`,
    clock: testClock(),
    bells: [] as RunBell[],
    model,
    waits: new Set<string>(),
  };
}
type World = ReturnType<typeof givenWorld>;

const loopOf = (world: World, doc: DynamoDBDocumentClient, process: string): Loop =>
  createLoop(
    { ...engine, doc },
    { ...world, ids: ids(process), ...bundledFile(PARTS, registeredOn(doc, world.waits)) },
  );

async function goOn(loop: Loop, { ownerUid, clock }: World, isRecovery: boolean): Promise<string> {
  const by = { ...agent, ownerUid };
  const { runId } = await loop.enqueue("/a-file", {}, { dedupeKey: "kill" }, by);
  for (let round = 0; round < 14; round++) {
    if (isRecovery) {
      clock.advance(STUCK_RUN_MS + 1);
      await loop.recover();
    }
    await loop.pass();
    await loop.deliver();
    const run = await loop.runs.readHead(runId);
    if (run && isTerminal(run)) return runId;
  }
  return runId;
}

async function firstProcess(world: World, at: KillPoint | undefined): Promise<string[]> {
  const { doc, writes, isDead } = killable(engine.doc, at);
  try {
    await goOn(loopOf(world, doc, "first"), world, false);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Killed;
    if (!isDead() || !(cause || error instanceof Killed)) throw error;
  }
  return writes;
}

async function assertEnd(loop: Loop, world: World, runId: string): Promise<void> {
  const run = (await loop.runs.readHead(runId)) as EndedRun;
  expect(run.status).toBe("done");
  const { Items = [] } = await engine.doc.send(
    new QueryCommand({
      TableName: engine.tables.control,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `effect#${runId}` },
    }),
  );
  expect(Items.map(({ sk }) => String(sk)).toSorted()).toEqual(["act#0", "act#1", "act#2"]);
  const places = (await loop.runs.readParts(runId, elementPrefix(2, 1))).map(({ part }) =>
    placeOfElementPart(part),
  );
  const place = (item: number, nested: number | null) => ({ item, nested });
  const wanted = [0, 1, 2].flatMap((item) => [place(item, 1), place(item, null)]);
  const key = ({ item, nested }: { item: number; nested: number | null }) => `${item}.${nested}`;
  expect(places.map(key).toSorted()).toEqual(wanted.map(key).toSorted());
  expect(run.spent?.calls).toBe(3);
  // A call that was under way when its process died may be made again, and no other.
  expect(world.model.calls.length).toBeLessThanOrEqual(3 + 2);
  const history = await memoHistory(loop, world.ownerUid, run.landing!.memoId as never);
  expect(history).toHaveLength(1);
  expect([...(await loop.queue.readLane(`${world.ownerUid}#${FILE_ID}`)).inFlight]).toEqual([]);
  const spent = await loop.spend.spentOn(world.ownerUid, FILE_ID, loop.clock.now());
  expect(spent).toMatchObject({ tokens: run.spent!.tokens });
}

test("without a kill it ends as it should", async () => {
  const world = givenWorld();
  expect((await firstProcess(world, undefined)).length).toBeGreaterThan(25);
  const loop = loopOf(world, engine.doc, "end");
  await assertEnd(loop, world, (await loop.runs.runsOfOwner(world.ownerUid, 1)).runIds[0]!);
});

test.each(["before", "after"] as const)("%s any write, with its bells kept or lost", async (when) => {
  const total = (await firstProcess(givenWorld(), undefined)).length;
  expect(total).toBeGreaterThan(25);
  for (let write = when === "before" ? 0 : 1; write < total; write += STRIDE) {
    const world = givenWorld();
    await firstProcess(world, { write, when });
    const bellsLost = write % 2 === 0;
    if (bellsLost) world.bells.splice(0);
    const second = loopOf(world, engine.doc, "second");
    try {
      await assertEnd(second, world, await goOn(second, world, true));
    } catch (error) {
      const bells = bellsLost ? "lost" : "kept";
      throw new Error(`killed ${when} write ${write}, bells ${bells}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
});
