import { runSummary, spentView } from "../../lib/runs/run-view.ts";
import { sumSpent } from "../../lib/runs/spent.ts";
import type { RunStore } from "../../lib/runs/store.ts";
import { spentOfRun } from "../../lib/runs/unfinished-spend.ts";

/** Runs of one session that a page counts and adds up. */
const RUNS_ADDED = 100;
/** Of them, those it lists. */
const RUNS_SHOWN = 10;

/** The newest runs of a session with what they cost; `complete` is false where there are older ones. */
export async function runsOfOne(
  { runs }: { runs: Pick<RunStore, "runsOfSession" | "readHeads"> },
  ownerUid: string,
  sessionId: string,
) {
  const page = await runs.runsOfSession(sessionId, RUNS_ADDED);
  const heads = (await runs.readHeads(page.runIds)).filter((run) => run.ownerUid === ownerUid);
  return {
    counted: heads.length,
    complete: page.next === undefined,
    ...spentView(sumSpent(heads.map(spentOfRun))),
    items: heads.slice(0, RUNS_SHOWN).map(runSummary),
  };
}
