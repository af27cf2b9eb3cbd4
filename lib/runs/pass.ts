import type { Clock } from "../core/clock.ts";
import type { Id } from "../core/ids.ts";
import { laneParts, type LaneKey } from "../core/keys.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import type { Item } from "../queue/item.ts";
import type { Lane, LaneWait } from "../queue/lane.ts";
import type { QueueStore } from "../queue/store.ts";
import { clearEmpty, clearFull, clearWaiting } from "../queue/writes.ts";
import { isReadable } from "../queue/readable-item.ts";
import { checkSlots, claim } from "./claim.ts";
import { endUnreadable } from "./end-unreadable.ts";
import { emptyReport, type PassReport } from "./pass-report.ts";
import type { RunStore } from "./store.ts";

/** Most items that one pass claims; with work left it rings for another pass, so the bound is never a rate. */
export const MAX_ITEMS_PER_PASS = 3;

/** Most lanes that one pass looks at, and most of which it learns, so that lanes that fail leave room for others. */
const LANES_PER_PASS = 10;
const LANES_LISTED = 50;

/** Whether a lane's workflow may run now, and how many of its runs at a time. */
export type Admission = { admitted: true; concurrency: number } | { admitted: false; wait: LaneWait };

export type PassDeps = {
  queue: QueueStore;
  runs: RunStore;
  doorbells: Doorbells;
  clock: Clock;
  /** Compiles the lane's workflow as it is now. */
  admit(ownerUid: string, workflowId: string): Promise<Admission>;
  /** Has a lane made ready at a time. */
  wakeAt(lane: LaneKey, at: number): Promise<void>;
};

type Served = { lane: Lane; limit: number; waiting: (Item & { status: "pending" })[]; whole: boolean };

/**
 * One bounded round of admitting work: the least recently served lanes first, one item of each in turn. With
 * no ready lane it reads one index and stops: no write, no message, no model call.
 */
export async function pass(deps: PassDeps): Promise<PassReport> {
  const startedAt = deps.clock.now();
  const report = emptyReport();
  const bells: { runId: Id<"run">; epoch: number }[] = [];
  const keys = await deps.queue.readyLanes(LANES_LISTED);
  let more = false;
  const open: Served[] = [];

  const failures: unknown[] = [];
  let opened = 0;
  const begin = async (key: LaneKey) => {
    try {
      const served = await openLane(deps, key, report);
      opened++;
      if (served) open.push(served);
    } catch (error) {
      // A lane that cannot be looked at keeps its place; it must not stop those behind it.
      failures.push(error);
      report.skipped["lane_failed"] = failures.length;
    }
  };
  for (const key of keys) {
    // A lane that is not reached this time was served longest ago next time: the order is by service.
    if (opened >= LANES_PER_PASS || report.started + open.length >= MAX_ITEMS_PER_PASS) {
      more = true;
      break;
    }
    await begin(key);
  }
  while (open.length > 0 && report.started < MAX_ITEMS_PER_PASS) {
    const served = open.shift()!;
    const item = served.waiting[0];
    if (item && !isReadable(item)) {
      const ended = await endUnreadable(deps, item, deps.clock.now());
      if (ended) report.failedItems++;
      else report.pending++;
      open.push({ ...served, waiting: served.waiting.slice(1), whole: served.whole && ended });
      continue;
    }
    if (!item || served.lane.inFlight.size >= served.limit) {
      if (!item && !served.whole) more = true;
      await closeLane(deps, served, report, bells);
      continue;
    }
    const claimed = await claim(deps, served.lane, item, served.limit, deps.clock.now());
    if (claimed.outcome === "claimed") {
      if (claimed.isOwn) report.started++;
      // Another pass's too: it may have died before its bell.
      bells.push({ runId: claimed.runId, epoch: claimed.epoch });
      open.push({ ...served, lane: claimed.lane, waiting: served.waiting.slice(1) });
    } else {
      // Another pass is at this lane, or the item is not what it was: what is left is the next pass's.
      if (claimed.outcome === "mended") report.failedItems++;
      more = true;
      report.pending += served.waiting.length;
    }
  }
  for (const served of open) {
    const full = served.lane.inFlight.size >= served.limit;
    if (full || served.waiting.length === 0) await closeLane(deps, served, report, bells);
    else {
      more = true;
      report.pending += served.waiting.length;
    }
  }
  if (bells.length > 0) await deps.doorbells.ringRuns(bells);
  // Every lane at once is no lane's own trouble: the store does not answer.
  if (failures.length > 0 && opened === 0) throw failures[0];
  if (more && (report.started > 0 || report.failedItems > 0)) await deps.doorbells.ringWake();
  report.ms = deps.clock.now() - startedAt;
  return report;
}

/** P0: the lane's row before its list, so that the counters are older than what the list shows. */
async function openLane(deps: PassDeps, key: LaneKey, report: PassReport): Promise<Served | undefined> {
  const lane = await deps.queue.readLane(key);
  // The index lags: a lane that has left `ready` is not looked at.
  if (lane.readyShard === undefined) return undefined;
  const { ownerUid, workflowId } = laneParts(key);
  const admission = await deps.admit(ownerUid, workflowId);
  if (!admission.admitted) {
    // Before the lane leaves `ready`: nobody else would bring it back.
    if ("untilAt" in admission.wait) await deps.wakeAt(key, admission.wait.untilAt);
    await deps.queue.writeLane(key, clearWaiting(lane, admission.wait));
    const { reason } = admission.wait;
    report.skipped[reason] = (report.skipped[reason] ?? 0) + 1;
    report.pending += await deps.queue.countPending(key);
    return undefined;
  }
  const limit = MAX_ITEMS_PER_PASS + 1;
  const waiting = await deps.queue.pendingItems(key, limit);
  return { lane, limit: admission.concurrency, waiting, whole: waiting.length < limit };
}

/**
 * P4, P6: an empty or full lane leaves `ready`, by the counters of P0, after a look at its slots. Items that
 * this pass claimed itself leave the list as empty as a list read now, since no enqueue has come since.
 */
async function closeLane(
  deps: PassDeps,
  served: Served,
  report: PassReport,
  bells: { runId: Id<"run">; epoch: number }[],
): Promise<void> {
  const { lane, limit, waiting } = served;
  const own = new Set<string>(bells.map((bell) => bell.runId));
  const others = { ...lane, inFlight: new Set([...lane.inFlight].filter((runId) => !own.has(runId))) };
  const slots = await checkSlots(deps, others, deps.clock.now());
  bells.push(...slots.claimed);
  report.started += slots.claimed.length;
  report.pending += waiting.length;
  if (!slots.clean) return;
  if (waiting.length > 0) await deps.queue.writeLane(lane.lane, clearFull(lane, limit));
  else if (served.whole) await deps.queue.writeLane(lane.lane, clearEmpty(lane));
}
