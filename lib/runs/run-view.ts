import { tokensOf } from "../model/usage.ts";
import type { FrozenProposal } from "../holds/proposal.ts";
import { itemIdOf } from "../queue/item.ts";
import type { Step } from "../workflows/manifest.ts";
import { currentHash, type CurrentDeps } from "./current-hash.ts";
import { gateView, holdsView } from "./gate-view.ts";
import { readProposal } from "./output-step.ts";
import { FAILED_PREFIX, elementPrefix, failedPrefix, placeOfElementPart } from "./parts.ts";
import { loadsBefore, readFinishedSteps, readPlan, type Plan, type StepRow } from "./plan.ts";
import { isTerminal, type Run } from "./run.ts";
import { NOTHING_SPENT, spentOfRow, sumSpent, type Spent } from "./spent.ts";
import type { RunStore } from "./store.ts";
import { spentOfRun } from "./unfinished-spend.ts";

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
  holdKind: run.status === "suspended" ? run.gate.kind : null,
  landing: isTerminal(run) ? (run.landing ?? null) : null,
  staged: run.staged !== undefined,
  error: "error" in run ? (run.error ?? null) : null,
  ...spentView(spentOfRun(run)),
});

/** Tokens, and a cost that is null as soon as one call has no price. */
export const spentView = ({ tokens, microUsd, calls }: Spent) => ({ tokens, costMicroUsd: microUsd, calls });

/** The whole record of a run: manifest, steps with tokens and time, loads, guards, decision, landing. */
export async function runRecord(deps: { runs: RunStore } & CurrentDeps, run: Run) {
  const plan = await readPlan(deps.runs, run.runId);
  const finished = plan ? await readFinishedSteps(deps.runs, run, plan) : new Map<string, StepRow>();
  const named = run.intent ?? run.gate ?? run.staged;
  const proposal = named && (await readProposal(deps.runs, run.runId, named));
  const rows = [...finished.values()];
  const unfinished = plan ? await unfinishedCalls(deps.runs, run, plan) : NO_CALLS;
  const failedNow = unfinished.failed.filter(({ part }) =>
    part.startsWith(failedPrefix(run.step, run.revision)),
  );
  const now = [...failedNow, ...unfinished.elements].map(spentOfRow);
  const drift = plan ? await driftOf(deps, run, plan) : null;
  return {
    ...runSummary(run),
    epoch: run.epoch,
    recoveries: run.recoveries,
    hops: run.hops,
    revision: run.revision,
    heartbeatAt: run.heartbeatAt,
    manifestHash: plan?.manifest.manifestHash ?? null,
    manifest: plan?.manifest ?? null,
    manifestDrift: drift && drift.now !== drift.pinned,
    drift,
    forkOf: plan?.kept ? { runId: plan.kept.runId, step: plan.kept.stepId } : null,
    steps: plan ? stepViews(run, plan, finished, unfinished) : [],
    loads: plan ? [...plan.loads, ...rows.flatMap((row) => row.loads)] : [],
    // The steps that are done as the head has them, of all revisions; of the one at work what its rows say.
    ...spentView(sumSpent([run.spent ?? NOTHING_SPENT, ...now])),
    hold: run.gate ? await gateView(deps.runs, run.runId, run.gate) : null,
    holds: await holdsView(deps.runs, run),
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

/** A call's row that no step's row stands for: it was paid for all the same. */
type CallRow = Pick<
  StepRow,
  "part" | "text" | "stepId" | "usage" | "costMicroUsd" | "stop" | "attempts" | "tools"
> & {
  /** Why its answer cannot be used. */
  code: string | null;
};
type Calls = { failed: CallRow[]; elements: CallRow[] };
const NO_CALLS: Calls = { failed: [], elements: [] };

/** Calls that left no output, and the elements of a step that is not done. */
async function unfinishedCalls(runs: RunStore, run: Run, plan: Plan): Promise<Calls> {
  const step = plan.manifest.steps[run.step];
  const [failed, elements] = await Promise.all([
    runs.readParts(run.runId, FAILED_PREFIX),
    step?.kind === "map" || (step?.kind === "process" && step.forEach)
      ? runs.readParts(run.runId, elementPrefix(run.step, run.revision))
      : [],
  ]);
  return { failed, elements } as unknown as Calls;
}

function stepViews(run: Run, plan: Plan, finished: ReadonlyMap<string, StepRow>, calls: Calls) {
  return plan.manifest.steps.map((step, index) => {
    const base = { id: step.id, kind: step.kind, ...nameOf(step) };
    const row = finished.get(step.id);
    if (step.kind === "trigger" || step.kind === "context") {
      const atStart = step.kind === "context" ? plan.ms : 0;
      return {
        ...base,
        status: index < run.step ? "done" : "pending",
        tokens: 0,
        ms: row?.ms ?? atStart,
        ...(row && { loads: row.loads }),
      };
    }
    if (step.kind === "output") return { ...base, status: outputStatus(run, index), tokens: 0, ms: null };
    const failed = calls.failed.filter(({ stepId }) => stepId === step.id).map(failedView);
    if (!row) {
      const answered = index === run.step ? calls.elements : [];
      return {
        ...base,
        status: stoppedAt(run, index),
        tokens: answered.reduce((sum, { usage }) => sum + tokensOf(usage), 0),
        ms: null,
        ...(answered.length > 0 && { answered: answered.filter(isWholeItem).length }),
        ...(failed.length > 0 && { failed }),
      };
    }
    return {
      ...base,
      status: "done",
      ...rowView(row),
      loads: [...loadsBefore(plan, finished, index), ...row.loads],
      ...(failed.length > 0 && { failed }),
    };
  });
}

/** What a step of a workflow file calls. */
function nameOf(step: Step): { name?: string } {
  if (step.kind === "tool") return { name: step.tool };
  return step.kind === "transform" ? { name: step.transform } : {};
}

/** Answers within an item stand beside the item's own row. */
const isWholeItem = ({ part }: CallRow): boolean => placeOfElementPart(part).nested === null;

const rowView = (row: StepRow) => ({
  tokens: tokensOf(row.usage),
  ms: row.ms,
  model: row.model,
  usage: row.usage,
  costMicroUsd: row.costMicroUsd,
  ...(row.price && { price: row.price }),
  startedAt: row.startedAt,
  promptHash: row.promptHash,
  stop: row.stop,
  ...(row.attempts && { attempts: row.attempts }),
  ...(row.tools && { tools: row.tools }),
  ...(row.forEach && { forEach: row.forEach }),
  ...(row.keptFrom && { keptFrom: row.keptFrom }),
  output: row.text,
});

/** A call whose answer could not be used, with what it said. */
const failedView = ({ code, stop, usage, costMicroUsd, attempts, text }: CallRow) => ({
  code,
  stop,
  tokens: tokensOf(usage),
  costMicroUsd,
  attempts: attempts ?? [],
  output: text,
});

/** A step that is not done: the next one is at work, or is where the run stopped. */
function stoppedAt(run: Run, index: number): string {
  if (index !== run.step) return "pending";
  if (isTerminal(run)) return run.status;
  return run.status === "suspended" || run.status === "suspending" ? "held" : "running";
}

function outputStatus(run: Run, index: number): string {
  if (run.staged) return "staged";
  if (isTerminal(run)) return run.landing ? "landed" : run.status;
  if (run.intent) return "landing";
  // A budget's gate is that of a step before it, and a decided one may have sent the run back.
  if (run.gate && run.gate.kind !== "budget" && index === run.step) {
    return run.gate.decision ? "decided" : "held";
  }
  return stoppedAt(run, index);
}

/** The workflow as the run pinned it and as it is now; shown, never silently compiled again. */
async function driftOf(deps: CurrentDeps, run: Run, plan: Plan) {
  return { pinned: plan.manifest.source.contentHash, now: (await currentHash(deps, run)) ?? null };
}
