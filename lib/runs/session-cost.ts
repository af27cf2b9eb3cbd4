import { addSpend, NO_SPEND } from "../spend/cost-report.ts";
import type { ModelSpend } from "../spend/day-row.ts";
import type { RunStore } from "./store.ts";
import { spentInAll } from "./unfinished-spend.ts";

/** Most runs that one report adds up. */
const MAX_RUNS = 1000;

/**
 * What the runs of each session spent that were made at or after a time, by the heads of the runs; the runs without
 * a session stand under null. With too many of them only the newest are counted, and `complete` is false.
 */
export async function costOfSessions(
  { runs }: { runs: Pick<RunStore, "runsOfOwner" | "readHeads" | "readParts"> },
  ownerUid: string,
  fromAt: number,
): Promise<{ lines: ReadonlyMap<string | null, ModelSpend>; complete: boolean }> {
  const lines = new Map<string | null, ModelSpend>();
  let read = 0;
  let start: Record<string, unknown> | undefined;
  do {
    const page = await runs.runsOfOwner(ownerUid, 100, start);
    for (const run of await runs.readHeads(page.runIds)) {
      if (run.createdAt < fromAt) return { lines, complete: true };
      const { tokens, microUsd, calls } = await spentInAll(runs, run);
      if (calls === 0) continue;
      // A head says whether a price was missing, and not for how many of its calls.
      const spent = { tokens, calls, microUsd: microUsd ?? 0, unpriced: microUsd === null ? 1 : 0 };
      const sessionId = run.sessionId ?? null;
      lines.set(sessionId, addSpend(lines.get(sessionId) ?? NO_SPEND, spent));
    }
    read += page.runIds.length;
    start = page.next;
  } while (start && read < MAX_RUNS);
  return { lines, complete: start === undefined };
}
