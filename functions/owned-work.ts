import { isTerminal, type Run } from "../lib/runs/run.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { younger, type OwnedWork, type Work } from "../lib/steward/owned-work.ts";
import { pendingItems, type Lanes } from "./pending-items.ts";

const PAGE = 100;
/** What one look may cost. Behind it stands work of a full house, which goes on whether or not its session does. */
const MAX_RUNS = 500;

/** What an owner's sessions have under way: their runs, the holds that wait, and what stands in the queue. */
export function ownedWork(
  deps: Lanes & { runs: Pick<RunStore, "activeRuns" | "inbox" | "readHeads"> },
): OwnedWork {
  return async (ownerUid) => {
    const found = new Map<string, Work>();
    const note = (sessionId: string | null | undefined, work: Work | undefined): void => {
      if (sessionId && work) found.set(sessionId, younger(found.get(sessionId), work));
    };
    const heads = [
      ...(await headsOf(deps, (start) => deps.runs.activeRuns(PAGE, start))),
      ...(await headsOf(deps, (start) => deps.runs.inbox(ownerUid, PAGE, start))),
    ];
    for (const run of heads) if (run.ownerUid === ownerUid) note(run.sessionId, workOf(run));
    for (const item of await pendingItems(deps, ownerUid)) {
      note(item.sessionId, { kind: "item", since: item.enqueuedAt });
    }
    return found;
  };
}

/** A run that waits for a person is the hold; one that goes on since a decision is as young as that. */
function workOf(run: Run): Work | undefined {
  if (isTerminal(run)) return undefined;
  const { gate } = run;
  if (run.status === "suspended" && !run.gate.decision) return { kind: "hold", since: run.gate.openedAt };
  return { kind: "run", since: Math.max(run.createdAt, gate?.decision?.at ?? 0) };
}

async function headsOf(
  { runs }: { runs: Pick<RunStore, "readHeads"> },
  pageFrom: (start: Record<string, unknown> | undefined) => ReturnType<RunStore["activeRuns"]>,
): Promise<Run[]> {
  const heads: Run[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await pageFrom(start);
    heads.push(...(await runs.readHeads(page.runIds)));
    start = page.next;
  } while (start && heads.length < MAX_RUNS);
  return heads;
}
