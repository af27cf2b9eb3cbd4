import { elementPrefix, failedPrefix, stepPrefix } from "./parts.ts";
import type { StepRow } from "./plan.ts";
import { isTerminal, type Run } from "./run.ts";
import { addSpent, NOTHING_SPENT, spentOfRow, sumSpent, type Spent } from "./spent.ts";
import type { RunStore } from "./store.ts";
import { countLate } from "./writes.ts";

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

/** Counts on a run that has been ended what its last calls used that came back after that. */
export async function countLateSpend(
  runs: Pick<RunStore, "readParts" | "readHead" | "writeHead">,
  runId: string,
): Promise<void> {
  const head = await runs.readHead(runId);
  if (!head || (head.status !== "settling" && !isTerminal(head))) return;
  const spent = await unfinishedSpend(runs, head);
  if (spent) await runs.writeHead(runId, countLate(spent));
}

/** All that a run has spent, as its head says. */
export const spentOfRun = ({ spent, unfinished }: Run): Spent =>
  addSpent(spent ?? NOTHING_SPENT, unfinished ?? NOTHING_SPENT);
