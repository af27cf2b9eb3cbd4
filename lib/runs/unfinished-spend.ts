import { elementPrefix, failedPrefix, stepPrefix } from "./parts.ts";
import type { StepRow } from "./plan.ts";
import type { Run } from "./run.ts";
import { addSpent, NOTHING_SPENT, spentOfRow, sumSpent, type Spent } from "./spent.ts";
import type { RunStore } from "./store.ts";

/** What calls of the step at which a run stands have used and the head does not count; undefined for nothing. */
export async function unfinishedSpend(
  runs: Pick<RunStore, "readParts">,
  { runId, step, revision }: Run,
): Promise<Spent | undefined> {
  const [whole, elements, failed] = await Promise.all(
    [stepPrefix, elementPrefix, failedPrefix].map((prefix) => runs.readParts(runId, prefix(step, revision))),
  );
  // The row of a whole step stands for its elements too.
  const answered = whole && whole.length > 0 ? whole.slice(0, 1) : (elements ?? []);
  const spent = sumSpent([...answered, ...(failed ?? [])].map((row) => spentOfRow(row as StepRow)));
  return spent.calls > 0 ? spent : undefined;
}

/**
 * All that an ended run has spent, with calls that came back after it was cancelled: their rows stand beside the
 * head, and nobody writes an ended head any more.
 */
export async function spentInAll(runs: Pick<RunStore, "readParts">, run: Run): Promise<Spent> {
  const late = run.status === "cancelled" ? await unfinishedSpend(runs, run) : undefined;
  return late ? addSpent(run.spent ?? NOTHING_SPENT, late) : spentOfRun(run);
}

/** All that a run has spent, as its head says. */
export const spentOfRun = ({ spent, unfinished }: Run): Spent =>
  addSpent(spent ?? NOTHING_SPENT, unfinished ?? NOTHING_SPENT);
