import { AppError } from "../core/errors.ts";
import { laneKey } from "../core/keys.ts";
import { itemIdOf, itemPlace, runIdOf, type Item } from "../queue/item.ts";
import type { QueueStore } from "../queue/store.ts";
import { isTerminal, runOfHold, type Run } from "../runs/run.ts";
import { shownStatus } from "../runs/run-view.ts";
import type { RunStore } from "../runs/store.ts";

/** How far a piece of work is, in the words that agents get. */
export const STATES = ["queued", "waiting", "running", "held", "done", "failed", "cancelled"] as const;
export type State = (typeof STATES)[number];

/** A piece of work as it stands: its item until a pass has claimed it, its run from then on. */
export type Work = { itemId: string; state: State; item?: Item; run?: Run };

type Deps = { queue: Pick<QueueStore, "readItem">; runs: Pick<RunStore, "readHead"> };

/** The work of an item, run or hold of this owner. @throws {AppError} item_not_found, run_not_found */
export async function workOf(deps: Deps, ownerUid: string, id: string): Promise<Work> {
  if (id.startsWith("item_")) return workOfItem(deps, ownerUid, id);
  const run = await deps.runs.readHead(runOfHold(id) ?? id);
  if (run && run.ownerUid === ownerUid) return workOfRun(run);
  const runId = id.slice(0, 200);
  throw new AppError("run_not_found", `there is no run or item ${runId}`, { runId });
}

async function workOfItem(deps: Deps, ownerUid: string, itemId: string): Promise<Work> {
  const place = itemPlace(itemId);
  const item = place && (await deps.queue.readItem(laneKey(ownerUid, place.workflowId), place.itemKey));
  if (!item || item.generation < place.generation) {
    const shown = itemId.slice(0, 200);
    throw new AppError("item_not_found", `there is no item ${shown}`, { itemId: shown });
  }
  const runId = runIdOf(ownerUid, item.workflowId, item.itemKey, place.generation);
  const isCurrent = item.generation === place.generation;
  if (isCurrent && item.status === "pending") return { itemId, state: "queued", item };
  const run = await deps.runs.readHead(runId);
  // Claimed, and its run not yet written: that is a moment, and not a state of its own.
  return run ? { ...workOfRun(run), item } : { itemId, state: "running", item };
}

export const workOfRun = (run: Run): Work => ({
  itemId: itemIdOf(run.workflowId, run.itemKey, run.generation),
  state: stateOfRun(run),
  run,
});

export function stateOfRun(run: Run): State {
  const status = shownStatus(run);
  return status === "suspended" ? "held" : (status as State);
}

/** Whether waiting longer could bring something new by itself. */
export const isSettled = ({ state, run }: Work): boolean =>
  state === "held" || (run !== undefined && isTerminal(run));

/** How long to leave work alone before looking again, by its state. */
export const POLL_AFTER_SECONDS: Record<State, number | null> = {
  queued: 5,
  waiting: 60,
  running: 5,
  held: 60,
  done: null,
  failed: null,
  cancelled: null,
};
