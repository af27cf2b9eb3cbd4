import { laneKey, type LaneKey } from "../../lib/core/keys.ts";
import { createMemoDispatcher } from "../../lib/dispatch/memo.ts";
import { writeMemo } from "../../lib/memos/write.ts";
import { requesterOf } from "../../lib/core/principal.ts";
import type { Model } from "../../lib/model/model.ts";
import type { RunBell } from "../../lib/queue/doorbell.ts";
import { declareLane } from "../../lib/queue/writes.ts";
import type { Compiled } from "../../lib/workflows/compile.ts";
import { testClock } from "../support/clock.ts";
import { AUTO_WORKFLOW, createLoop, OWNER, PLAIN_WORKFLOW, steward } from "../support/loop.ts";
import { createMemoryEngine, type Command } from "../support/memory/engine.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { createScheduler, type Process } from "./scheduler.ts";
import { seededRandom } from "./random.ts";
import { createWatch } from "./watch.ts";

const limited = (text: string, concurrency: number) =>
  text.replace("**Concurrency** `10`", `**Concurrency** \`${concurrency}\``);

/** Its budget lets no call through: a person has to allow it. */
const DEAR_WORKFLOW = AUTO_WORKFLOW.replaceAll("Auto", "Dear")
  .replaceAll("/auto", "/dear")
  .replace("`40k tokens` per run", "`20 tokens` per run");

const FILES = {
  "plain.md": limited(PLAIN_WORKFLOW, 1),
  "auto.md": limited(AUTO_WORKFLOW, 2),
  "dear.md": limited(DEAR_WORKFLOW, 1),
};

export type WorldWorkflow = {
  workflowId: string;
  lane: LaneKey;
  limit: number;
  holds: boolean;
  compiled: Compiled;
};

/** Memos that runs may fill in, and that a person edits. */
export const STUBS = ["memo_stub1", "memo_stub2"] as const;

/** A library with its workflows compiled and two memos that runs may fill in: made once, copied for each seed. */
const library = (async () => {
  const engine = createMemoryEngine();
  const loop = createLoop(engine, { model: scriptedModel({}) });
  const ids = await loop.importFiles(FILES);
  const workflows = await Promise.all(
    Object.entries(ids).map(async ([path, workflowId]): Promise<WorldWorkflow> => {
      const found = await loop.workflows.byId(OWNER, workflowId);
      if (!found?.compiled.ok) throw new Error(`${path} does not compile`);
      const { policy } = found.compiled.manifest;
      return {
        workflowId,
        lane: laneKey(OWNER, workflowId),
        limit: policy.concurrency,
        holds: policy.approval.mode === "hold",
        compiled: found.compiled,
      };
    }),
  );
  // As the saving of a workflow does: the sweep then finds an item whose enqueue died before its lane was ready.
  for (const { lane } of workflows) await loop.queue.writeLane(lane, declareLane(lane));
  for (const memoId of STUBS) {
    await writeMemo(loop, {
      ownerUid: OWNER,
      memoId,
      base: null,
      content: { title: memoId, body: "stub" },
      writeToken: `stub#${memoId}`,
      writtenBy: requesterOf(steward),
      sessionId: null,
      runId: null,
    });
  }
  return { rows: engine.snapshot(), workflows };
})();

/** What may stand between the world and its store. */
export type Around = {
  rewrite?: (command: Command) => Command;
  wrap?: <S extends object>(store: S) => S;
};

/** One seed's world: its store, its time, its bells, and the processes in it. */
export async function createWorld(seed: number, around: Around = {}) {
  const { rows, workflows } = await library;
  const random = seededRandom(seed);
  const engine = createMemoryEngine(around.rewrite ? { rewrite: around.rewrite } : {});
  engine.restore(rows);
  const clock = testClock();
  const scheduler = createScheduler(engine);
  const watch = createWatch(engine, scheduler, workflows);
  const bells: RunBell[] = [];
  let ids = 0;

  /** What one process has in hand: the real stores and functions over its own client. */
  function container(process: Process) {
    const model: Model = async (request) => {
      const done = watch.asked(process, request);
      await process.stop();
      done();
      return {
        text: `Draft ${++ids} for ${request.stepId}.`,
        model: "scripted",
        usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 10, estimated: true },
        stop: "end",
        costMicroUsd: 0,
      };
    };
    const loop = createLoop(
      { doc: process.doc, tables: engine.tables },
      {
        model,
        clock,
        bells,
        ticker: process.ticker,
        ids: (prefix) => `${prefix}_${++ids}`,
        ...(around.wrap && { wrap: around.wrap }),
      },
    );
    const { memos } = loop.runner;
    // The workflows are not what is looked at here: compiled once, and nobody listens to tags.
    const compiled = async (_owner: string, workflowId: string) =>
      workflows.find((workflow) => workflow.workflowId === workflowId)?.compiled;
    const gateMemoIds = async () => new Set<string>();
    const { tellUntold: _tellUntold, ...recoverDeps } = loop.recoverDeps;
    return {
      ...loop,
      memos,
      stewardDeps: { ...loop.stewardDeps, gateMemoIds },
      recoverDeps,
      runner: {
        ...loop.runner,
        compile: compiled,
        gateMemoIds,
        dispatchers: { memo: createMemoDispatcher({ memos, clock }) },
      },
      passDeps: {
        ...loop.passDeps,
        admit: async (_owner: string, workflowId: string) => ({
          admitted: true as const,
          concurrency: workflows.find((workflow) => workflow.workflowId === workflowId)!.limit,
        }),
      },
    };
  }

  return {
    seed,
    random,
    /** Few workflows and few keys bring everybody to the same rows. */
    busy: {
      workflows: random.chance(0.7) ? [random.pick(workflows)] : workflows,
      keys: (["a", "b", "c", "d"] as const).slice(0, 1 + random.below(4)),
    },
    engine,
    clock,
    scheduler,
    watch,
    bells,
    workflows,
    container,
    /** What people were told, to be found in the end. */
    told: {
      enqueued: [] as { lane: LaneKey; itemKey: string; generation: number }[],
      decided: [] as { runId: string; holdId: string; decisionId: string }[],
      takenBack: [] as { runId: string; holdId: string }[],
      cancelled: [] as string[],
      edited: [] as { memoId: string; contentVersion: number; writeToken: string }[],
    },
  };
}
export type World = Awaited<ReturnType<typeof createWorld>>;
export type Container = ReturnType<World["container"]>;
