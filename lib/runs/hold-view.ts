import type { FrozenProposal } from "../holds/proposal.ts";
import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import { readQuestion } from "./budget-hold.ts";
import { conflictSides } from "./conflict-sides.ts";
import { gateView, holdsView } from "./gate-view.ts";
import { ownHold } from "./hold-access.ts";
import { readProposal } from "./output-step.ts";
import { conflictPart } from "./parts.ts";
import { readPlan, type Plan } from "./plan.ts";
import { revisionsLeft } from "./revise.ts";
import { nthHold, VERDICTS_OF, type Gate, type Run, type Verdict } from "./run.ts";
import { proposalView, runSummary } from "./run-view.ts";
import type { RunStore } from "./store.ts";

type Deps = { runs: RunStore; memos: MemoStore };

/**
 * One hold, whole, open or of the past: what would be written, where, what it was made from, what has become of the
 * target since, and what may be said of it now.
 * @throws {AppError} hold_not_found
 */
export async function readHold(deps: Deps, ownerUid: string, holdId: string) {
  const { run, gate } = await ownHold(deps, ownerUid, holdId);
  const isOpen = run.status === "suspended" && run.gate.holdId === holdId && !gate.decision;
  const [plan, proposal, holds] = await Promise.all([
    readPlan(deps.runs, run.runId),
    gate.kind === "budget" ? undefined : readProposal(deps.runs, run.runId, gate),
    holdsView(deps.runs, run),
  ]);
  const conflict =
    gate.kind === "conflict" && proposal ? await conflictView(deps, run, gate, { proposal, isOpen }) : null;
  const lands = gate.decision?.lands;
  const edited = lands && (await readProposal(deps.runs, run.runId, { ...gate, sha256: lands }));
  const question = gate.kind === "budget" ? await readQuestion(deps.runs, run.runId, gate.sha256) : undefined;
  const left = plan ? revisionsLeft(run, plan) : 0;
  return {
    ...(await gateView(deps.runs, run.runId, gate)),
    open: isOpen,
    takenBack: holds.some((hold) => hold.holdId === holdId && hold.takenBack),
    verdicts: isOpen ? (conflict?.verdicts ?? verdictsOf(gate, left)) : [],
    revisionsLeft: left,
    revises:
      holds.findLast(
        (hold) => nthHold(hold.holdId) < nthHold(holdId) && hold.decision?.verdict === "request_changes",
      )?.holdId ?? null,
    run: runSummary(run),
    workflow: plan ? workflowView(plan) : null,
    payload: plan?.payload ?? null,
    loads: plan?.loads ?? [],
    proposal: proposal ? proposalView(proposal) : null,
    edited: edited ? proposalView(edited) : null,
    question: question ?? null,
    conflict,
    targetChanged: proposal ? await targetChanged(deps.memos, run, proposal.target) : null,
    holds,
  };
}

const verdictsOf = ({ kind }: Gate, left: number): readonly Verdict[] =>
  VERDICTS_OF[kind].filter((verdict) => verdict !== "request_changes" || left > 0);

const workflowView = ({ manifest }: Plan) => ({
  title: manifest.title,
  command: manifest.trigger.command,
  manifestHash: manifest.manifestHash,
});

/** What the landing lost to, and the three sides as they are now; of a hold of the past the former alone. */
async function conflictView(
  deps: Deps,
  run: Run,
  gate: Gate,
  { proposal, isOpen }: { proposal: FrozenProposal; isOpen: boolean },
) {
  const row = await deps.runs.readPart(run.runId, conflictPart(gate.holdId));
  const lostTo = {
    code: row?.["actual"] === null ? "target_missing" : "dispatch_conflict",
    memoId: proposal.target.memoId,
    expected: (row?.["expected"] as number | null | undefined) ?? null,
    actual: (row?.["actual"] as number | null | undefined) ?? null,
  };
  const none = { current: null, base: null, theirs: null, merged: null, verdicts: [], why: null };
  if (!isOpen) return { ...lostTo, ...none };
  const { base, theirs, merged, allowed, why } = await conflictSides(deps, run.ownerUid, proposal);
  const { zone } = proposal;
  return {
    ...lostTo,
    current: theirs?.contentVersion ?? null,
    base: base ? { contentVersion: base.contentVersion, text: base[zone] } : null,
    theirs: theirs
      ? {
          contentVersion: theirs.contentVersion,
          title: theirs.title,
          writtenBy: theirs.writtenBy,
          updatedAt: theirs.updatedAt,
          text: theirs[zone],
        }
      : null,
    merged: merged ? { conflicts: merged.conflicts, text: merged.text } : null,
    verdicts: allowed,
    why,
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
