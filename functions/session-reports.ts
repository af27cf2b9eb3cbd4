import { AppError } from "../lib/core/errors.ts";
import { listRuns, type RunPlace } from "../lib/runs/list-runs.ts";
import { runResult } from "../lib/runs/run-result.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { NAMES } from "../lib/steward/names.ts";
import { listed, shownReport, type ListedReport, type Pass, type SessionReport } from "./shown-report.ts";

type Deps = { runs: RunStore };

/** The passes of an owner, newest first. */
export async function listReports(
  deps: Deps,
  ownerUid: string,
  page: { limit: number; after: RunPlace | null },
): Promise<{ items: ListedReport[]; next: RunPlace | null }> {
  const { runs, next } = await listRuns(deps, ownerUid, {
    filter: { workflowId: NAMES.workflowId },
    ...page,
  });
  return { items: runs.map(listed), next };
}

/**
 * One pass with what it answered.
 * @throws {AppError} run_not_found, the same for another owner's and for a run of another workflow
 */
export async function readReport(deps: Deps, ownerUid: string, runId: string): Promise<SessionReport> {
  return shownReport(await passOf(deps, ownerUid, runId));
}

/** The same, with all that it answered, for what a person says to it. @throws {AppError} run_not_found */
export async function passOf(deps: Deps, ownerUid: string, runId: string): Promise<Pass> {
  const run = await deps.runs.readHead(runId);
  if (run?.ownerUid !== ownerUid || run.workflowId !== NAMES.workflowId) {
    throw new AppError("run_not_found", `there is no pass ${runId.slice(0, 100)}`, { runId });
  }
  const answered = await runResult(deps.runs, run);
  return {
    run,
    startedAt: answered?.startedAt ?? null,
    input: answered?.input ?? {},
    result: answered?.result,
  };
}
