import * as z from "zod";
import type { Run } from "./run.ts";
import { shownStatus } from "./run-view.ts";
import type { RunStore } from "./store.ts";

/** Which runs of an owner are wanted. */
export const RunFilter = z.strictObject({
  status: z.enum(["running", "suspended", "done", "failed", "cancelled"]).optional(),
  workflowId: z.string().min(1).optional(),
  sessionId: z.string().min(1).optional(),
});
export type RunFilter = z.infer<typeof RunFilter>;

/** Where a list goes on: behind this run, in the order of creation. */
export const RunPlace = z.strictObject({ runId: z.string(), createdAt: z.number() });
export type RunPlace = z.infer<typeof RunPlace>;

/** Runs read for one page of a list that filters: bounds the reads of one request. */
const READS_PER_PAGE = 1000;

/**
 * One page of an owner's runs, newest first. The filter is applied to the rows that were read and the place is
 * that of the last row shown, so that a page is full when there is enough and no row is skipped.
 */
export async function listRuns(
  { runs }: { runs: RunStore },
  ownerUid: string,
  { filter, limit, after }: { filter: RunFilter; limit: number; after: RunPlace | null },
): Promise<{ runs: Run[]; next: RunPlace | null }> {
  const shown: Run[] = [];
  let start = after ? { ...after, ownerUid, part: "HEAD" } : undefined;
  for (let read = 0; read < READS_PER_PAGE;) {
    const size = Math.min(100, Math.max(limit, 25));
    const page = await runs.runsOfOwner(ownerUid, size, start);
    const heads = await runs.readHeads(page.runIds);
    for (const run of heads) {
      start = { runId: run.runId, createdAt: run.createdAt, ownerUid, part: "HEAD" };
      if (!fits(run, filter)) continue;
      shown.push(run);
      if (shown.length === limit) return { runs: shown, next: placeOf(run) };
    }
    read += page.runIds.length;
    if (!page.next) return { runs: shown, next: null };
    start = page.next as NonNullable<typeof start>;
  }
  return { runs: shown, next: start ? { runId: start.runId, createdAt: start.createdAt } : null };
}

const placeOf = ({ runId, createdAt }: Run): RunPlace => ({ runId, createdAt });

const fits = (run: Run, filter: RunFilter): boolean =>
  (filter.status === undefined || shownStatus(run) === filter.status) &&
  (filter.workflowId === undefined || run.workflowId === filter.workflowId) &&
  (filter.sessionId === undefined || run.sessionId === filter.sessionId);
