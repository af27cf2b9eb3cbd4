import type { Clock } from "../core/clock.ts";
import { AppError, storedError } from "../core/errors.ts";
import { digestOf, type Id } from "../core/ids.ts";
import { MINUTE_MS } from "../core/duration.ts";
import type { Audit } from "../audit/note.ts";
import type { NoticeStore } from "../notices/store.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import type { Lane } from "../queue/lane.ts";
import type { QueueStore } from "../queue/store.ts";
import { claimItem, readyLane } from "../queue/writes.ts";
import { checkSlots } from "./claim.ts";
import { emptyReport, type PassReport } from "./pass-report.ts";
import { isRefused, isReleased, isTerminal, laneOf, type Run, type RunIn } from "./run.ts";
import { noteExpiry } from "./note-expiry.ts";
import { settle } from "./settle.ts";
import type { RunStore } from "./store.ts";
import { remind } from "./tell.ts";
import { finishSuspend } from "./suspend.ts";
import { unfinishedSpend } from "./unfinished-spend.ts";
import { expireHold, remindHold } from "./gate-writes.ts";
import { exhaust, recoverLease } from "./writes.ts";

/** A run without a heartbeat for longer is taken for dead; a living runner beats every 30 s. */
export const STUCK_RUN_MS = 10 * MINUTE_MS;

/** How often a run may go quiet before it fails as `recovery_exhausted`. */
export const MAX_RECOVERY_ATTEMPTS = 5;

const ACTIVE_PAGE = 100;
/** Of the holds whose deadlines come next; those that are not due are looked at for their age. */
const HOLDS_PER_TICK = 25;

/** Which slow repair a tick does, and on which side of its place it sweeps: the time of the tick casts a die. */
function turnAt(at: number): { tells: boolean; side: "above" | "below"; place: string } {
  const die = Number.parseInt(digestOf(["turn", at]).slice(0, 1), 16);
  return { tells: die % 2 === 1, side: die < 8 ? "above" : "below", place: digestOf([at]) };
}

export type RecoverDeps = {
  queue: QueueStore;
  runs: RunStore;
  doorbells: Doorbells;
  clock: Clock;
  stuckRunMs: number;
  /** A heartbeat before this is of a host that is known to be gone (the local host holds its folder's lock). */
  deadBeforeAt?: number;
  /** Where the owner is told of what still waits, has expired or has failed. */
  notices: NoticeStore;
  audit: Audit;
  /** Repeats what a crash has left untold of memos' changes. */
  tellUntold?(): Promise<void>;
};

type Bell = { runId: Id<"run">; epoch: number };

/**
 * Looks at every run that is not finished and completes what a crash left half-done; nothing else moves. One thing
 * that cannot be mended keeps nothing behind it waiting: it is thrown when everything else is done.
 */
export async function recover(deps: RecoverDeps): Promise<PassReport> {
  const at = deps.clock.now();
  const report = emptyReport();
  const bells: Bell[] = [];
  const failures: unknown[] = [];
  const trying = (work: () => Promise<void>) => work().catch((error: unknown) => void failures.push(error));
  let start: Record<string, unknown> | undefined;
  do {
    const page = await deps.runs.activeRuns(ACTIVE_PAGE, start);
    for (const run of await deps.runs.readHeads(page.runIds)) {
      if (isQuiet(deps, run, at)) await trying(() => tend(deps, run, at, report, bells));
    }
    start = page.next;
  } while (start);
  await trying(() => tendDueHolds(deps, at, report));
  const { tellUntold } = deps;
  // One of the two, since each reads an index: a tick with nothing to do stays within its few reads.
  if (tellUntold && turnAt(at).tells) await trying(() => tellUntold());
  else await trying(() => sweepOneLane(deps, at, report, bells));
  if (bells.length > 0) await deps.doorbells.ringRuns(bells);
  if (failures.length > 0) throw failures[0];
  report.ms = deps.clock.now() - at;
  return report;
}

/**
 * By the recoverer's clock against the stored time, with a whole limit of slack; the write that takes the run
 * states the heartbeat that was read, so no comparison of clocks decides a race.
 */
function isQuiet(deps: RecoverDeps, run: Run, at: number): boolean {
  return at - run.heartbeatAt > deps.stuckRunMs || run.heartbeatAt < (deps.deadBeforeAt ?? 0);
}

async function tend(
  deps: RecoverDeps,
  run: Run,
  at: number,
  report: PassReport,
  bells: Bell[],
): Promise<void> {
  if (isTerminal(run)) return;
  if (run.status === "settling") return settle(deps, run, run.outcome);
  if (run.status === "suspending") return finishSuspend(deps, run);
  if (isRefused(run)) return settle(deps, run, "cancelled");
  if (run.status === "suspended") {
    if (isReleased(run)) bells.push({ runId: run.runId, epoch: run.epoch });
    return;
  }
  if (run.leaseOwner === undefined) return redispatch(deps, run, at, report, bells);
  return takeFromDeadRunner(deps, run, at, report, bells);
}

/** R1: nobody ever picked it up. The same ticket again: it never counts as a recovery. */
async function redispatch(
  deps: RecoverDeps,
  run: Run,
  at: number,
  report: PassReport,
  bells: Bell[],
): Promise<void> {
  const claim = claimItem(run.generation, run.runId, at);
  if (run.epoch === 0) await deps.queue.writeItem(laneOf(run), run.itemKey, claim);
  bells.push({ runId: run.runId, epoch: run.epoch });
  report.redispatched++;
}

/** R2, R2x. */
async function takeFromDeadRunner(
  deps: RecoverDeps,
  run: RunIn<"running">,
  at: number,
  report: PassReport,
  bells: Bell[],
): Promise<void> {
  if (run.recoveries >= MAX_RECOVERY_ATTEMPTS && !run.intent) {
    const { runId, recoveries: attempts } = run;
    const message = `run ${runId} went quiet ${attempts + 1} times at step ${run.step}`;
    const error = storedError(new AppError("recovery_exhausted", message, { runId, attempts }), at);
    const unfinished = await unfinishedSpend(deps.runs, run);
    const exhausted = await deps.runs.writeHead(runId, exhaust(run, error, at, unfinished));
    if (!exhausted) return;
    report.exhausted++;
    return settle(deps, exhausted, "failed");
  }
  const taken = await deps.runs.writeHead(run.runId, recoverLease(run, at));
  const head = taken ?? (await deps.runs.readHead(run.runId));
  // A lost answer: the write was made, and its repeat failed against itself.
  if (head?.status !== "running" || head.epoch !== run.epoch + 1 || head.leaseOwner !== undefined) return;
  report.recovered++;
  bells.push({ runId: run.runId, epoch: head.epoch });
}

/** D5: a hold that is due asks once more. D3: it expires, as a rejection that the system says. */
async function tendDueHolds(deps: RecoverDeps, at: number, report: PassReport): Promise<void> {
  const { runIds } = await deps.runs.holdsByDeadline(HOLDS_PER_TICK);
  for (const run of await deps.runs.readHeads(runIds)) {
    if (run.status !== "suspended" || run.gate.decision) continue;
    const { holdId } = run.gate;
    if (run.gate.expiresAt > at) {
      if (run.nextDeadlineAt === undefined || run.nextDeadlineAt > at) continue;
      // The notice first: its id is the same for whoever repeats it.
      await remind(deps, run, run.nextDeadlineAt);
      await deps.runs.writeHead(run.runId, remindHold(run.gate, run.nextDeadlineAt));
      continue;
    }
    const decision = {
      decisionId: `dec_expire-${holdId}`,
      verdict: "expire" as const,
      by: "system",
      username: "system",
      at,
    };
    await noteExpiry(deps, run, decision);
    const expired = await deps.runs.writeHead(run.runId, expireHold(holdId, decision));
    if (!expired) continue;
    report.expired++;
    await settle(deps, expired, "cancelled");
  }
}

/**
 * S1: at most one lane a tick, above or below a place that the time of the tick picks evenly, so that every lane
 * has its turn: an item whose lane never became ready, or a slot of an ended run, is found without a Scan. A lane that waits for its owner is left alone.
 */
async function sweepOneLane(deps: RecoverDeps, at: number, report: PassReport, bells: Bell[]): Promise<void> {
  const { place, side } = turnAt(at);
  const key = await deps.queue.laneBeside(place, side);
  if (!key) return;
  const hint = await deps.queue.readLane(key, { asHint: true });
  if (!needsSweep(hint, at)) return;
  const pending = await deps.queue.countPending(key);
  // The usual lane has nothing in it. What follows acts on the lane, so it looks at the row itself.
  if (pending === 0 && hint.inFlight.size === 0) return;
  const lane = await deps.queue.readLane(key);
  if (!needsSweep(lane, at)) return;
  const waits = pending > 0 && !lane.capped;
  const slots = await checkSlots(deps, lane, at);
  bells.push(...slots.claimed);
  report.started += slots.claimed.length;
  if (!waits) return;
  await deps.queue.writeLane(key, readyLane(key));
  await deps.doorbells.ringWake();
}

const needsSweep = ({ readyShard, wait }: Lane, at: number): boolean =>
  readyShard === undefined &&
  wait?.reason !== "draft" &&
  wait?.reason !== "paused" &&
  !(wait?.reason === "day_budget" && at < wait.untilAt);
