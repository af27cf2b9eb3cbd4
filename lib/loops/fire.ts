import { isAppError } from "../core/errors.ts";
import type { Principal } from "../core/principal.ts";
import { ownWaitOf } from "../intake/admit.ts";
import { enqueueItem, EnqueueRequest, type EnqueueDeps } from "../intake/enqueue-item.ts";
import { scheduleIdOf, type DueRow, type ScheduleRow } from "./due.ts";
import { latestSlot, nextSlot, slotName } from "./schedule.ts";
import type { LoopStore } from "./store.ts";
import { schedulesOf, syncSchedules } from "./sync.ts";

/** Most rows that one tick looks at; more are the next tick's. */
export const DUE_PER_TICK = 10;

export type FireDeps = EnqueueDeps & {
  loops: LoopStore;
  /**
   * Whether a run of the workflow is running, or an item of it waits for one. A held run does not count, nor does the
   * slot's own item: a tick that died before the lane was ready must be finished by the next one.
   */
  isBusy(ownerUid: string, workflowId: string, slotKey: string): Promise<boolean>;
  /** Makes a lane ready whose wait is over. */
  wakeLane(lane: string): Promise<void>;
};

/** Items that schedules put in their lanes, and slots that passed without one, by reason. */
export type FireReport = { fired: number; skipped: Record<string, number> };

/**
 * Acts on what is due: a schedule's slot becomes an ordinary item, a lane's wait ends. Of missed slots the newest
 * alone counts. With nothing due it reads one index and writes nothing.
 */
export async function fireDue(deps: FireDeps): Promise<FireReport> {
  const at = deps.clock.now();
  const report: FireReport = { fired: 0, skipped: {} };
  for (const row of await deps.loops.dueRows(at, DUE_PER_TICK)) {
    const outcome = await fire(deps, row, at);
    if (outcome === "fired") report.fired++;
    else if (outcome !== "nothing") report.skipped[outcome] = (report.skipped[outcome] ?? 0) + 1;
  }
  return report;
}

async function fire(deps: FireDeps, row: DueRow, at: number): Promise<string> {
  if (row.kind === "wake") {
    await deps.wakeLane(row.lane);
    await deps.loops.remove(row);
    return "nothing";
  }
  const found = await deps.workflows.byId(row.owner, row.workflowId);
  // A memo whose save died before its rows were written: its schedules are put right, and this slot is not its.
  if (!found || !stillSays(row, found)) {
    await syncSchedules(deps, row.owner, row.workflowId, found);
    if (!found) return "workflow_missing";
    if (found.compiled.ok) return "schedule_changed";
  }
  const slot = latestSlot(row, row.nextAt ?? at, at);
  const outcome = await enqueueSlot(deps, row, found, slot);
  // By the slot that was read: of two ticks one moves the row and says what became of the slot.
  const moved = await deps.loops.moveSchedule(row, nextSlot(row, at));
  return moved || outcome === "fired" ? outcome : "nothing";
}

type Found = NonNullable<Awaited<ReturnType<FireDeps["workflows"]["byId"]>>>;

function stillSays(row: ScheduleRow, { compiled }: Found): boolean {
  if (!compiled.ok) return true;
  const says = schedulesOf(compiled.manifest)[Number(row.sk)];
  return says?.expression === row.expression && says.timeZone === row.timeZone;
}

/** What a slot enqueues: what the schedule says, else nothing. */
const payloadOf = (row: ScheduleRow, { compiled }: Found): string =>
  JSON.stringify((compiled.ok && schedulesOf(compiled.manifest)[Number(row.sk)]?.payload) || {});

async function enqueueSlot(deps: FireDeps, row: ScheduleRow, found: Found, slot: number): Promise<string> {
  const wait = ownWaitOf(found);
  if (wait) return wait.reason;
  const scheduleId = scheduleIdOf(row);
  const key = `${scheduleId}#${slotName(slot)}`;
  if (await deps.isBusy(row.owner, row.workflowId, key)) return "skipped_overlap";
  try {
    const { enqueued } = await enqueueItem(deps, row.workflowId, principalOf(row, scheduleId), {
      request: EnqueueRequest.parse({}),
      payloadText: payloadOf(row, found),
      sessionId: null,
      slot: { at: slot, key },
    });
    return enqueued ? "fired" : "duplicate_slot";
  } catch (error) {
    // An Input that nothing fills: the compiler has warned, and the next slot is no better.
    if (isAppError(error) && error.code === "payload_invalid") return "payload_invalid";
    throw error;
  }
}

/** Nobody's person: whoever reviews the workflow's output did not ask for it. */
function principalOf({ owner }: ScheduleRow, scheduleId: string): Principal {
  const principalId = `schedule:${scheduleId}`;
  return {
    principalId,
    kind: "schedule",
    ownerUid: owner,
    uid: principalId,
    username: "schedule",
    scopes: ["items:enqueue"],
  };
}
