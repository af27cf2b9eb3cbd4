import type { Run } from "../lib/runs/run.ts";
import type { RunStore } from "../lib/runs/store.ts";
import type { RunsOfSession, TimelineRun } from "../lib/sessions/timeline.ts";

/** The runs that carry a session's id, as its timeline shows them. */
export function sessionRuns(runs: Pick<RunStore, "runsOfSession" | "readHeads">): RunsOfSession {
  return async (sessionId, { atOrBefore, limit }) => {
    // A place in the index behind every run of this ms; nothing needs to be there.
    const start = { sessionId, createdAt: atOrBefore + 1, runId: "run_", part: "HEAD" };
    const { runIds } = await runs.runsOfSession(sessionId, limit, start);
    return (await runs.readHeads(runIds)).map(shown);
  };
}

const shown = (run: Run): TimelineRun => ({
  runId: run.runId,
  createdAt: run.createdAt,
  workflowId: run.workflowId,
  itemKey: run.itemKey,
  generation: run.generation,
  // The internal two are shown to people as running.
  status: run.status === "suspending" || run.status === "settling" ? "running" : run.status,
  holdId: run.gate?.holdId ?? null,
  landing: "landing" in run ? run.landing : null,
});
