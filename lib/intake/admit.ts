import type { Clock } from "../core/clock.ts";
import type { LaneWait } from "../queue/lane.ts";
import { hasLimit, isUsedUp, nextDayAt, type DayBudget } from "../spend/day.ts";
import type { SpendStore } from "../spend/store.ts";
import { waitingReason } from "../workflows/lane-state.ts";
import type { FoundWorkflow, WorkflowLibrary } from "./workflow-library.ts";

export type AdmitDeps = {
  spend: Pick<SpendStore, "spentOn">;
  clock: Clock;
  /** What all workflows of an owner may spend on a day; null is no limit. */
  libraryUsdPerDay: number | null;
};

/** Whether a lane's workflow may run now, and how many of its runs at a time; a pass asks this for each lane. */
export async function admitWorkflow(
  deps: AdmitDeps & { workflows: Pick<WorkflowLibrary, "byId"> },
  ownerUid: string,
  workflowId: string,
): Promise<{ admitted: true; concurrency: number } | { admitted: false; wait: LaneWait }> {
  const found = await deps.workflows.byId(ownerUid, workflowId);
  if (!found) return { admitted: false, wait: { reason: "workflow_missing" } };
  const wait = await laneWaitOf(deps, found);
  if (wait) return { admitted: false, wait };
  const { compiled } = found;
  return { admitted: true, concurrency: compiled.ok ? compiled.manifest.policy.concurrency : 1 };
}

/** Why a workflow's items wait now: its own state, else its day's budget or the library's; null when they need not. */
export async function laneWaitOf(
  deps: AdmitDeps,
  found: FoundWorkflow,
): Promise<Exclude<LaneWait, { reason: "workflow_missing" }> | null> {
  const own = ownWaitOf(found);
  if (own || !found.compiled.ok) return own;
  const { ownerUid, memoId } = found.memo;
  const at = deps.clock.now();
  const isSpent = async (workflowId: string | null, limit: DayBudget): Promise<boolean> =>
    hasLimit(limit) && isUsedUp(limit, await deps.spend.spentOn(ownerUid, workflowId, at));
  const waits =
    (await isSpent(memoId, found.compiled.manifest.policy.budget.day)) ||
    (await isSpent(null, { tokens: null, usd: deps.libraryUsdPerDay }));
  return waits ? { reason: "day_budget", untilAt: nextDayAt(at) } : null;
}

/** Why a workflow may not run by what its memo says; null when it may. */
export function ownWaitOf({ memo, compiled }: FoundWorkflow) {
  const reason = waitingReason(compiled);
  const { contentVersion } = memo;
  if (reason !== "compile_error") return reason && { reason, contentVersion };
  const first = compiled.diagnostics.find(({ severity }) => severity === "error");
  const message = first
    ? `${first.code} line ${first.range.start.line}: ${first.message}`
    : "does not compile";
  return { reason, contentVersion, message };
}
