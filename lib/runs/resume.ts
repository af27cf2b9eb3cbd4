import type { Clock } from "../core/clock.ts";
import type { Id } from "../core/ids.ts";
import type { NoticeStore } from "../notices/store.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import type { QueueStore } from "../queue/store.ts";
import { emptyReport, type PassReport } from "./pass-report.ts";
import { isRefused, isReleased } from "./run.ts";
import { settle } from "./settle.ts";
import type { RunStore } from "./store.ts";

/** Most decided runs that one round goes on with; with more left it rings for another. */
export const MAX_RESUMES_PER_PASS = 5;

/** Most entries of `active` that one round looks at. */
const LOOKED_AT = 100;

export type ResumeDeps = {
  queue: QueueStore;
  runs: RunStore;
  doorbells: Doorbells;
  clock: Clock;
  notices: NoticeStore;
};

/**
 * R4: decided runs go on (rung at their own epoch: nobody had them) or end (rejected, expired). They take no
 * slot, since an approved gate never waits behind new work.
 */
export async function resume(deps: ResumeDeps): Promise<PassReport> {
  const startedAt = deps.clock.now();
  const report = emptyReport();
  const { runIds } = await deps.runs.activeRuns(LOOKED_AT);
  const decided = (await deps.runs.readHeads(runIds)).filter((run) => isReleased(run) || isRefused(run));
  const bells: { runId: Id<"run">; epoch: number }[] = [];
  for (const run of decided.slice(0, MAX_RESUMES_PER_PASS)) {
    if (isRefused(run)) await settle(deps, run, "cancelled");
    else bells.push({ runId: run.runId, epoch: run.epoch });
    report.resumed++;
  }
  if (bells.length > 0) await deps.doorbells.ringRuns(bells);
  // Rung runs stay listed until a runner takes them, so only ended ones make room for a next round at once.
  const ended = report.resumed - bells.length;
  if (decided.length > MAX_RESUMES_PER_PASS && ended > 0) await deps.doorbells.ringWake();
  report.ms = deps.clock.now() - startedAt;
  return report;
}
