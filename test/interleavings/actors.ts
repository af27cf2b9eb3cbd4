import { isAppError } from "../../lib/core/errors.ts";
import { sha256 } from "../../lib/core/bytes.ts";
import { requesterOf, type Principal } from "../../lib/core/principal.ts";
import { writeMemo } from "../../lib/memos/write.ts";
import { enqueue, type IfExists } from "../../lib/queue/enqueue.ts";
import { cancel, cancelItem } from "../../lib/runs/cancel.ts";
import { DecisionRequest } from "../../lib/runs/decision-request.ts";
import { runTicket } from "../../lib/runs/execute.ts";
import { MAX_ITEMS_PER_PASS, pass } from "../../lib/runs/pass.ts";
import { recover } from "../../lib/runs/recover.ts";
import { resume } from "../../lib/runs/resume.ts";
import { readProposal } from "../../lib/runs/output-step.ts";
import { decideOnRecord, takeBackOnRecord } from "../../lib/runs/on-record.ts";
import { LANDS, VERDICTS_OF, type Gate, type Run } from "../../lib/runs/run.ts";
import { agent, OWNER, steward } from "../support/loop.ts";
import type { Process } from "./scheduler.ts";
import { STUBS, type Container, type World } from "./world.ts";

/** Whoever acts in a world, each as one process. */
export type Actor = (world: World, process: Process) => Promise<void>;

const stewards: readonly Principal[] = [
  steward,
  { ...steward, principalId: "human:bo", uid: "bo", username: "bo", keyId: "key_bo" },
];

/** What a steward says with each verdict: the one place to add one. */
async function requestFor(world: World, loop: Container, run: Run, gate: Gate, decisionId: string) {
  const { random } = world;
  const all = VERDICTS_OF[gate.kind];
  const verdict = random.chance(0.4) ? all[0] : random.pick(all);
  const said = { verdict, sha256: gate.sha256, decisionId };
  switch (verdict) {
    case "approve_edited":
      return DecisionRequest.parse({ ...said, text: `Edited, ${decisionId}.` });
    case "request_changes":
      return DecisionRequest.parse({ ...said, reason: "Shorter." });
    case "rebase":
    case "replace": {
      const draft = await readProposal(loop.runs, run.runId, gate);
      const head = draft && (await loop.memos.head(OWNER, draft.target.memoId));
      const text = verdict === "rebase" ? { text: `Merged, ${decisionId}.` } : {};
      return DecisionRequest.parse({ ...said, ...text, onVersion: head?.contentVersion ?? 1 });
    }
    default:
      return DecisionRequest.parse(said);
  }
}

export const ACTORS = {
  /** Producers that do not know of each other: the same keys come more than once. */
  async enqueuer(world, process) {
    const { random } = world;
    const loop = world.container(process);
    for (let count = 1 + random.below(3); count > 0; count--) {
      const { workflowId, lane } = random.pick(world.busy.workflows);
      const dedupeKey = random.pick(world.busy.keys);
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

  /** A steward looks at the inbox, thinks, decides one hold after the other, and now and then thinks again. */
  async decides(world, process) {
    const { random } = world;
    const loop = world.container(process);
    const asking = { principal: random.pick(stewards), sessionId: null };
    const { runIds } = await loop.runs.inbox(OWNER, 10);
    for (const run of await loop.runs.readHeads(runIds)) {
      if (!run.gate || random.chance(0.3)) continue;
      const { holdId } = run.gate;
      const request = await requestFor(world, loop, run, run.gate, `dec_${process.name}`);
      // A click may be sent twice.
      for (let clicks = random.chance(0.2) ? 2 : 1; clicks > 0; clicks--) {
        const { decision } = await decideOnRecord(loop.stewardDeps, holdId, asking, request);
        const { decisionId } = decision;
        world.told.decided.push({ runId: run.runId, holdId, decisionId });
        if (!LANDS.some((one) => one === decision.verdict) || !random.chance(0.25)) continue;
        await takeBackOnRecord(loop.stewardDeps, holdId, asking, decisionId);
        world.told.takenBack.push({ runId: run.runId, holdId });
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
  "verdict_not_allowed",
  "revisions_exhausted",
  "stale_target",
  "merge_conflicts",
  "too_late",
]);

/** What a process may answer with: a fault that was injected, or a race that it lost. */
export const isExpected = (failure: unknown): boolean => isAppError(failure) && EXPECTED.has(failure.code);
