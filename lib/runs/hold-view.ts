import * as z from "zod";
import { AppError } from "../core/errors.ts";
import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import { readProposal } from "./output-step.ts";
import { readPlan } from "./plan.ts";
import { runOfHold, type Run, type RunIn } from "./run.ts";
import { gateView, proposalView, runSummary } from "./run-view.ts";
import type { RunStore } from "./store.ts";

/** Where the list of holds goes on: behind this one, oldest first. */
export const HoldPlace = z.strictObject({ runId: z.string(), openedAt: z.number() });
export type HoldPlace = z.infer<typeof HoldPlace>;

/** Open holds of an owner, oldest first; derived from the runs, so there is no second truth. */
export async function listHolds(
  { runs }: { runs: RunStore },
  ownerUid: string,
  { limit, after }: { limit: number; after: HoldPlace | null },
) {
  const items: Awaited<ReturnType<typeof holdSummary>>[] = [];
  let start: Record<string, unknown> | undefined = after
    ? { ...after, inboxOwner: ownerUid, part: "HEAD" }
    : undefined;
  for (;;) {
    const page = await runs.inbox(ownerUid, limit, start);
    for (const run of await runs.readHeads(page.runIds)) {
      // The index lags: a hold that was decided a moment ago is no longer one.
      if (run.status !== "suspended" || run.gate.decision) continue;
      items.push(await holdSummary(runs, run));
      if (items.length === limit) {
        return { items, next: { runId: run.runId, openedAt: run.gate.openedAt } };
      }
    }
    if (!page.next) return { items, next: null };
    start = page.next;
  }
}

async function holdSummary(runs: RunStore, run: RunIn<"suspended">) {
  const proposal = await readProposal(runs, run.runId, run.gate);
  return {
    holdId: run.gate.holdId,
    runId: run.runId,
    workflowId: run.workflowId,
    sha256: run.gate.sha256,
    title: proposal?.title ?? null,
    target: proposal?.target ?? null,
    guards: proposal?.guards ?? [],
    requestedBy: run.requestedBy,
    sessionId: run.sessionId ?? null,
    openedAt: run.gate.openedAt,
    expiresAt: run.gate.expiresAt,
  };
}

/**
 * One hold, whole: the bytes that would be written, where, what they were made from, and whether the target has
 * changed since.
 * @throws {AppError} hold_not_found
 */
export async function readHold(deps: { runs: RunStore; memos: MemoStore }, ownerUid: string, holdId: string) {
  const runId = runOfHold(holdId);
  const run = runId && (await deps.runs.readHead(runId));
  if (!run || run.ownerUid !== ownerUid || run.gate?.holdId !== holdId) {
    throw new AppError("hold_not_found", `there is no hold ${holdId}`, { holdId });
  }
  const proposal = await readProposal(deps.runs, run.runId, run.gate);
  const plan = await readPlan(deps.runs, run.runId);
  return {
    ...(await gateView(deps.runs, run)),
    open: run.status === "suspended" && !run.gate.decision,
    run: runSummary(run),
    workflow: plan
      ? {
          title: plan.manifest.title,
          command: plan.manifest.trigger.command,
          manifestHash: plan.manifest.manifestHash,
        }
      : null,
    payload: plan?.payload ?? null,
    loads: plan?.loads ?? [],
    proposal: proposal ? proposalView(proposal) : null,
    targetChanged: proposal ? await targetChanged(deps.memos, run, proposal.target) : null,
  };
}

async function targetChanged(
  memos: MemoStore,
  run: Run,
  target: { kind: "create" } | { kind: "update"; memoId: string; base: number },
): Promise<boolean> {
  if (target.kind === "create") return false;
  const memo = await readMemo({ memos }, run.ownerUid, target.memoId);
  return memo?.contentVersion !== target.base;
}
