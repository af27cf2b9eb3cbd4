import { tokensOf } from "../model/usage.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import type { StepRow } from "./plan.ts";
import type { PartRow } from "./store.ts";

/**
 * Adds what a row's calls cost to the workflow's day, once for each row however often it is found again. The day
 * is that of the step's begin, so that a repeat after midnight counts on the same one.
 */
export async function noteSpend(
  deps: Pick<RunnerDeps, "spend" | "clock">,
  { ownerUid, workflowId, runId }: Run,
  row: PartRow & Partial<Pick<StepRow, "usage" | "costMicroUsd" | "startedAt">>,
): Promise<void> {
  if (!row.usage) return;
  await deps.spend.addOnce(ownerUid, workflowId, {
    token: `${runId}#${row.part}`,
    at: row.startedAt ?? deps.clock.now(),
    tokens: tokensOf(row.usage),
    microUsd: row.costMicroUsd ?? 0,
  });
}
