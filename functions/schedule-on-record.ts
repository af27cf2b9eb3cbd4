import { actorOf } from "../lib/audit/entry.ts";
import type { Audit } from "../lib/audit/note.ts";
import { AppError } from "../lib/core/errors.ts";
import { scheduleState, switchSchedule, type ScheduleState, type SwitchDeps } from "../lib/loops/switch.ts";
import type { Saying } from "./reports-on-record.ts";

/** Switches a schedule that is shipped switched off. @throws {AppError} workflow_not_found, nothing_to_switch */
export async function switchOnRecord(
  deps: SwitchDeps & { audit: Audit },
  { principal, sessionId }: Saying,
  workflow: string,
  to: ScheduleState["status"],
): Promise<ScheduleState[]> {
  const { ownerUid } = principal;
  const before = await scheduleState(deps, ownerUid, workflow);
  if (!before.some(({ canSwitch }) => canSwitch)) {
    throw new AppError("nothing_to_switch", `${workflow} has no schedule that is switched here`, {
      workflow,
    });
  }
  const workflowId = await deps.workflows.find(ownerUid, workflow).then((found) => found?.memo.memoId);
  await deps.audit.note(ownerUid, {
    ...actorOf(principal, sessionId),
    act: "schedule_switched",
    at: deps.clock.now(),
    verdict: to,
    ...(workflowId !== undefined && { workflowId }),
  });
  return switchSchedule(deps, ownerUid, workflow, to);
}
