import { tokensOf } from "../model/usage.ts";
import type { Cost } from "../spend/day-row.ts";
import { hasLimit, type DayBudget } from "../spend/day.ts";
import { slotOf } from "./day-limits.ts";
import type { StepRow } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { spentOfRow } from "./spent.ts";
import type { PartRow } from "./store.ts";

/**
 * Adds what a row's calls cost to the day, in place of what they had reserved, once for each row however often it
 * is found again. The day is that of the step's begin, so that a repeat after midnight counts on the same one.
 */
export async function noteSpend(
  deps: Pick<RunnerDeps, "spend" | "clock" | "libraryUsdPerDay">,
  run: Run,
  row: PartRow &
    Partial<Pick<StepRow, "usage" | "costMicroUsd" | "startedAt" | "attempts" | "price" | "pricedAs">>,
  question: { index: number; element: number | null; day: DayBudget },
): Promise<void> {
  const { usage, costMicroUsd = null, attempts = [] } = row;
  if (!usage) return;
  const { ownerUid, workflowId, runId } = run;
  const at = row.startedAt ?? deps.clock.now();
  const { calls } = spentOfRow({ usage, costMicroUsd, attempts });
  const cost = {
    epoch: run.epoch,
    token: `${runId}#${row.part}`,
    tokens: tokensOf(usage),
    microUsd: costMicroUsd ?? 0,
    calls,
    unpriced: costMicroUsd === null ? calls : 0,
    model: row.pricedAs ?? null,
    asOf: row.price?.asOf ?? null,
  } satisfies Cost & { token: string; epoch: number };
  const slot = slotOf(run, question.index, question.element);
  if (hasLimit(question.day)) await deps.spend.settle({ ownerUid, workflowId, at }, slot, cost);
  else await deps.spend.addOnce(ownerUid, workflowId, { at, ...cost });
  if (deps.libraryUsdPerDay !== null) await deps.spend.settle({ ownerUid, workflowId: null, at }, slot, cost);
}
