import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import { tokensOf } from "../model/usage.ts";
import type { FrozenProposal } from "../holds/proposal.ts";
import { itemIdOf } from "../queue/item.ts";
import { readProposal } from "./output-step.ts";
import { reasonPart } from "./parts.ts";
import { readFinishedSteps, readPlan, type Plan, type StepRow } from "./plan.ts";
import { isTerminal, type Run } from "./run.ts";
import type { RunStore } from "./store.ts";

/** Shown to people: the two states in between are part of running. */
export const shownStatus = (run: Run): string =>
  run.status === "suspending" || run.status === "settling" ? "running" : run.status;

/** A run in a list. */
export const runSummary = (run: Run) => ({
  runId: run.runId,
  workflowId: run.workflowId,
  itemId: itemIdOf(run.workflowId, run.itemKey, run.generation),
  status: shownStatus(run),
  sessionId: run.sessionId ?? null,
  requestedBy: run.requestedBy,
  createdAt: run.createdAt,
  settledAt: isTerminal(run) ? run.settledAt : null,
  holdId: run.status === "suspended" ? run.gate.holdId : null,
  landing: isTerminal(run) ? (run.landing ?? null) : null,
  staged: run.staged !== undefined,
  error: "error" in run ? (run.error ?? null) : null,
});

/** The whole record of a run: manifest, steps with tokens and time, loads, guards, decision, landing. */
export async function runRecord(deps: { runs: RunStore; memos: MemoStore }, run: Run) {
  const plan = await readPlan(deps.runs, run.runId);
  const finished = plan ? await readFinishedSteps(deps.runs, run, plan) : new Map<string, StepRow>();
  const named = run.intent ?? run.gate ?? run.staged;
  const proposal = named && (await readProposal(deps.runs, run.runId, named));
  const rows = [...finished.values()];
  return {
    ...runSummary(run),
    epoch: run.epoch,
    recoveries: run.recoveries,
    hops: run.hops,
    revision: run.revision,
    heartbeatAt: run.heartbeatAt,
    manifestHash: plan?.manifest.manifestHash ?? null,
    manifest: plan?.manifest ?? null,
    manifestDrift: plan ? await hasDrifted(deps.memos, run, plan) : null,
    steps: plan ? stepViews(run, plan, finished) : [],
    loads: plan ? [...plan.loads, ...rows.flatMap((row) => row.loads)] : [],
    tokens: rows.reduce((sum, row) => sum + tokensOf(row.usage), 0),
    costMicroUsd: sumCost(rows),
    hold: run.gate ? await gateView(deps.runs, run) : null,
    guards: proposal?.guards ?? [],
    proposal: proposal ? proposalView(proposal) : null,
  };
}

/** What a proposal would write, and where. */
export const proposalView = (proposal: FrozenProposal) => ({
  sha256: proposal.sha256,
  stepId: proposal.stepId,
  revision: proposal.revision,
  destination: proposal.destination,
  target: proposal.target,
  zone: proposal.zone,
  title: proposal.title,
  text: proposal.text,
  tags: proposal.tags,
  guards: proposal.guards,
  source: proposal.source,
});

/** The gate with its decision and the reason that was given. */
export async function gateView(runs: RunStore, run: Run) {
  const { gate } = run;
  if (!gate) return null;
  const { decision, ...open } = gate;
  if (!decision) return { ...open, decision: null };
  const { hasReason, ...said } = decision;
  const reason = hasReason
    ? (await runs.readPart(run.runId, reasonPart(decision)))?.text
    : undefined;
  return { ...open, decision: { ...said, reason: reason ?? null } };
}

function stepViews(run: Run, plan: Plan, finished: ReadonlyMap<string, StepRow>) {
  return plan.manifest.steps.map((step, index) => {
    const base = { id: step.id, kind: step.kind };
    if (step.kind === "trigger" || step.kind === "context") {
      return {
        ...base,
        status: index < run.step ? "done" : "pending",
        tokens: 0,
        ms: step.kind === "context" ? plan.ms : 0,
      };
    }
    if (step.kind === "output") return { ...base, status: outputStatus(run, index), tokens: 0, ms: null };
    const row = finished.get(step.id);
    if (!row) return { ...base, status: stoppedAt(run, index), tokens: 0, ms: null };
    const { model, usage, costMicroUsd, ms, startedAt, promptHash, text } = row;
    return {
      ...base,
      status: "done",
      tokens: tokensOf(usage),
      ms,
      model,
      usage,
      costMicroUsd,
      startedAt,
      promptHash,
      output: text,
    };
  });
}

/** A step that is not done: the next one is at work, or is where the run stopped. */
function stoppedAt(run: Run, index: number): string {
  if (index !== run.step) return "pending";
  return isTerminal(run) ? run.status : "running";
}

function outputStatus(run: Run, index: number): string {
  if (isTerminal(run)) return run.landing ? "landed" : run.status;
  if (run.intent) return "landing";
  if (run.gate) return run.gate.decision ? "decided" : "held";
  return stoppedAt(run, index);
}

function sumCost(rows: readonly StepRow[]): number | null {
  if (rows.some(({ costMicroUsd }) => costMicroUsd === null)) return null;
  return rows.reduce((sum, { costMicroUsd }) => sum + (costMicroUsd ?? 0), 0);
}

/** Whether the workflow memo has changed since the run pinned it; shown, never silently compiled again. */
async function hasDrifted(memos: MemoStore, run: Run, plan: Plan): Promise<boolean> {
  const memo = await readMemo({ memos }, run.ownerUid, run.workflowId);
  return memo?.contentHash !== plan.manifest.source.contentHash;
}
  if (run.staged) return "staged";
