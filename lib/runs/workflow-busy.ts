import type { LaneKey } from "../core/keys.ts";
import type { QueueStore } from "../queue/store.ts";
import { isRefused, isTerminal, laneOf } from "./run.ts";
import type { RunStore } from "./store.ts";

const ACTIVE_PAGE = 100;

/**
 * Whether a workflow has work that is under way or waits for a runner. A run that waits for a person is neither;
 * one that a person has just released is at work without a slot of its lane. An item of `ownKey` is not other work.
 */
export async function isWorkflowBusy(
  { queue, runs }: { queue: QueueStore; runs: RunStore },
  lane: LaneKey,
  ownKey: string,
): Promise<boolean> {
  if ((await queue.readLane(lane)).inFlight.size > 0) return true;
  const waiting = await queue.pendingItems(lane, 2);
  if (waiting.some(({ dedupeKey }) => dedupeKey !== ownKey)) return true;
  let start: Record<string, unknown> | undefined;
  do {
    const page = await runs.activeRuns(ACTIVE_PAGE, start);
    const heads = await runs.readHeads(page.runIds);
    if (heads.some((run) => laneOf(run) === lane && isAtWork(run))) return true;
    start = page.next;
  } while (start);
  return false;
}

const isAtWork = (run: Parameters<typeof isTerminal>[0]): boolean =>
  !isTerminal(run) && !isRefused(run) && (run.status !== "suspended" || run.gate.decision !== undefined);
