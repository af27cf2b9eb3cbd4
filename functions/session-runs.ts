import type { Run } from "../lib/runs/run.ts";
import type { RunStore } from "../lib/runs/store.ts";
import type { RunsOfSession, TimelineRun } from "../lib/sessions/timeline.ts";

/** The runs that carry a session's id, as its timeline shows them. */
export function sessionRuns(runs: Pick<RunStore, "runsOfSession" | "readHeads">): RunsOfSession {
  return async (sessionId, { atOrBefore, limit }) => {
    const found: Run[] = [];
    // A place in the index; nothing needs to be there. Runs of its own ms may stand on either side of it.
    let start: Record<string, unknown> | undefined = {
      sessionId,
      createdAt: atOrBefore + 1,
      runId: "run_",
      part: "HEAD",
    };
    while (start && found.length < limit) {
      const page = await runs.runsOfSession(sessionId, limit, start);
      const heads = await runs.readHeads(page.runIds);
      found.push(...heads.filter((run) => run.createdAt <= atOrBefore));
      start = page.next;
    }
    return found.slice(0, limit).map(shown);
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
