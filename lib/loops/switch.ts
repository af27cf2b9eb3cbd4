import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { FoundWorkflow, WorkflowLibrary } from "../intake/workflow-library.ts";
import type { ScheduleRow } from "./due.ts";
import type { LoopStore } from "./store.ts";
import { schedulesOf, syncSchedules } from "./sync.ts";

export type SwitchDeps = { loops: LoopStore; clock: Clock; workflows: Pick<WorkflowLibrary, "find"> };

/** One schedule of a workflow: what it says, whether it runs, and when next. */
export type ScheduleState = {
  expression: string;
  timeZone: string | null;
  status: "live" | "paused";
  nextAt: number | null;
  /** Shipped switched off: it can be switched on and off without changing the workflow. */
  canSwitch: boolean;
};

/**
 * How the schedules of a workflow stand, as their rows say.
 * @throws {AppError} workflow_not_found
 */
export async function scheduleState(
  deps: Omit<SwitchDeps, "clock">,
  ownerUid: string,
  idOrCommand: string,
): Promise<ScheduleState[]> {
  const found = await workflowOf(deps, ownerUid, idOrCommand);
  const rows = new Map((await rowsOf(deps, ownerUid, found)).map((row) => [row.sk, row]));
  if (!found.compiled.ok) return [];
  return schedulesOf(found.compiled.manifest).map(({ expression, timeZone, paused }, index) => {
    const row = rows.get(String(index));
    return {
      expression,
      timeZone,
      status: row ? "live" : "paused",
      nextAt: row?.nextAt ?? null,
      canSwitch: paused === true,
    };
  });
}

/**
 * Switches the schedules on or off that are shipped switched off; the others follow their workflow alone. Switching
 * on begins with the next slot, and what runs already keeps its own. Safe to repeat.
 * @throws {AppError} workflow_not_found
 */
export async function switchSchedule(
  deps: SwitchDeps,
  ownerUid: string,
  idOrCommand: string,
  to: ScheduleState["status"],
): Promise<ScheduleState[]> {
  const found = await workflowOf(deps, ownerUid, idOrCommand);
  const { memoId } = found.memo;
  if (to === "live") await syncSchedules(deps, ownerUid, memoId, found, { paused: "wanted" });
  else if (found.compiled.ok) {
    const says = schedulesOf(found.compiled.manifest);
    for (const row of await rowsOf(deps, ownerUid, found)) {
      if (says[Number(row.sk)]?.paused) await removeRow(deps, row);
    }
  }
  return scheduleState(deps, ownerUid, memoId);
}

async function workflowOf(
  { workflows }: Pick<SwitchDeps, "workflows">,
  ownerUid: string,
  idOrCommand: string,
): Promise<FoundWorkflow> {
  const found = await workflows.find(ownerUid, idOrCommand);
  if (found) return found;
  throw new AppError("workflow_not_found", `there is no workflow ${idOrCommand}`, { workflow: idOrCommand });
}

const rowsOf = (
  { loops }: Pick<SwitchDeps, "loops">,
  ownerUid: string,
  { memo }: FoundWorkflow,
): Promise<ScheduleRow[]> => loops.schedulesOf(ownerUid, memo.memoId);

/** A slot may be moving the row at this moment: it is read again, and removed as it is then. */
async function removeRow({ loops }: Pick<SwitchDeps, "loops">, row: ScheduleRow): Promise<void> {
  if (await loops.remove(row)) return;
  const moved = (await loops.schedulesOf(row.owner, row.workflowId)).find(({ sk }) => sk === row.sk);
  if (moved) await loops.remove(moved);
}
