import { isAppError } from "../../lib/core/errors.ts";
import { sha256 } from "../../lib/core/bytes.ts";
import { requesterOf, type Principal } from "../../lib/core/principal.ts";
import { writeMemo } from "../../lib/memos/write.ts";
import { enqueue, type IfExists } from "../../lib/queue/enqueue.ts";
import { cancel, cancelItem } from "../../lib/runs/cancel.ts";
import { decide } from "../../lib/runs/decide.ts";
import { runTicket } from "../../lib/runs/execute.ts";
import { MAX_ITEMS_PER_PASS, pass } from "../../lib/runs/pass.ts";
import { recover } from "../../lib/runs/recover.ts";
import { resume } from "../../lib/runs/resume.ts";
import { VERDICTS_OF, type Gate } from "../../lib/runs/run.ts";
import { agent, OWNER, steward } from "../support/loop.ts";
import type { Random } from "./random.ts";
import type { Process } from "./scheduler.ts";
import { STUBS, type World } from "./world.ts";

/** Whoever acts in a world, each as one process. */
export type Actor = (world: World, process: Process) => Promise<void>;

const stewards: readonly Principal[] = [
  steward,
  { ...steward, principalId: "human:bo", uid: "bo", username: "bo", keyId: "key_bo" },
];

/** The verdicts that a steward has for a gate; those that this release cannot record answer with an error. */
const verdictFor = (random: Random, gate: Gate) =>
  random.chance(0.5) ? VERDICTS_OF[gate.kind][0] : random.pick(VERDICTS_OF[gate.kind]);

const keys = ["a", "b", "c", "d"] as const;

export const ACTORS = {
  /** Producers that do not know of each other: the same keys come more than once. */
  async enqueuer(world, process) {
    const { random } = world;
    const loop = world.container(process);
    for (let count = 1 + random.below(3); count > 0; count--) {
      const { workflowId, lane } = random.pick(world.workflows);
      const dedupeKey = random.pick(keys);
      // The same key has the same payload, so that a repeat is a repeat.
      const target = { a: STUBS[0], b: STUBS[0], c: STUBS[1], d: null }[dedupeKey];
      const payload = JSON.stringify({ topic: dedupeKey, ...(target && { targetMemoId: target }) });
      const ifExists = random.pick<IfExists>(["skip", "skip", "requeue_failed", "new_generation"]);
      const { item, enqueued } = await enqueue(
        loop,
        {
          ownerUid: OWNER,
          workflowId,
          dedupeKey,
          payload,
          payloadHash: sha256(payload),
          landing: {},
          requestedBy: requesterOf(agent),
          sessionId: null,
        },
        ifExists,
      );
      if (enqueued) {
        world.told.enqueued.push({ lane, itemKey: item.itemKey, generation: item.generation });
      }
    }
  },

  async passes(world, process) {
    const report = await pass(world.container(process).passDeps);
    if (report.started > MAX_ITEMS_PER_PASS) world.watch.faults.push(`a pass started ${report.started}`);
  },

  async resumes(world, process) {
    await resume(world.container(process).passDeps);
  },

  async recovers(world, process) {
    await recover(world.container(process).recoverDeps);
  },

  /** A steward looks at the inbox, thinks, and decides one hold after the other. */
  async decides(world, process) {
    const { random } = world;
    const loop = world.container(process);
    const by = random.pick(stewards);
    const { runIds } = await loop.runs.inbox(OWNER, 10);
    for (const run of await loop.runs.readHeads(runIds)) {
      if (!run.gate || random.chance(0.3)) continue;
      const { holdId, sha256 } = run.gate;
      const verdict = verdictFor(random, run.gate);
      const request = { verdict, sha256, reason: "because", text: `Edited by ${by.username}.` };
      const decisionId = `dec_${process.name}`;
      // A click may be sent twice.
      for (let clicks = random.chance(0.2) ? 2 : 1; clicks > 0; clicks--) {
        const decided = await decide(loop.stewardDeps, holdId, by, { ...request, decisionId } as never);
        world.told.decided.push({ runId: run.runId, holdId, decisionId: decided.decision.decisionId });
      }
    }
  },

  async cancels(world, process) {
    const { random } = world;
    const loop = world.container(process);
    const items = world.engine.rows("queue");
    if (items.length === 0) return;
    const item = random.pick(items);
    const run = random.chance(0.5)
      ? await cancelItem(loop, String(item["itemId"]), agent)
      : await cancel(loop, String(item["runId"] ?? "run_none"), agent);
    world.told.cancelled.push(run.runId);
  },

  /** A person who writes into the memo that runs are to fill in. */
  async edits(world, process) {
    const loop = world.container(process);
    const memoId = world.random.pick(STUBS);
    const head = await loop.memos.head(OWNER, memoId);
    if (!head) return;
    const writeToken = `person#${process.name}`;
    const written = await writeMemo(loop, {
      ownerUid: OWNER,
      memoId,
      base: head.contentVersion,
      content: { body: `A person's text, ${process.name}.` },
      writeToken,
      writtenBy: requesterOf(steward),
      sessionId: null,
      runId: null,
    });
    if (written.outcome !== "written") return;
    world.told.edited.push({ memoId, contentVersion: written.memo.contentVersion, writeToken });
  },

  /** A delivery of one bell; a handler that fails gives the message back to the queue. */
  async runs(world, process) {
    const { random, bells } = world;
    if (bells.length === 0) return;
    const at = random.below(bells.length);
    const bell = bells[at]!;
    if (!random.chance(0.15)) bells.splice(at, 1);
    try {
      await runTicket(world.container(process).runner, bell);
    } catch (error) {
      bells.push(bell);
      throw error;
    }
  },
} satisfies Record<string, Actor>;
export type ActorName = keyof typeof ACTORS;

const EXPECTED = new Set([
  "storage_throttled",
  "storage_unavailable",
  "already_decided",
  "hold_closed",
  "stale_proposal",
  "run_not_found",
  "item_not_found",
  "run_not_cancellable",
  "lease_lost",
  // A verdict that a steward may not give here.
  "verdict_not_allowed",
  "verdict_unknown",
  "invalid_request",
]);

/** What a process may answer with: a fault that was injected, or a race that it lost. */
export const isExpected = (failure: unknown): boolean => isAppError(failure) && EXPECTED.has(failure.code);
