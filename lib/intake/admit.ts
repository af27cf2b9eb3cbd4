import type { LaneWait } from "../queue/lane.ts";
import { waitingReason } from "../workflows/lane-state.ts";
import type { WorkflowLibrary } from "./workflow-library.ts";

/** Whether a lane's workflow may run now, and how many of its runs at a time; a pass asks this for each lane. */
export async function admitWorkflow(
  workflows: WorkflowLibrary,
  ownerUid: string,
  workflowId: string,
): Promise<{ admitted: true; concurrency: number } | { admitted: false; wait: LaneWait }> {
  const found = await workflows.byId(ownerUid, workflowId);
  if (!found) return { admitted: false, wait: { reason: "workflow_missing" } };
  const { memo, compiled } = found;
  const { contentVersion } = memo;
  const reason = waitingReason(compiled);
  if (reason === "compile_error") {
    const first = compiled.diagnostics.find(({ severity }) => severity === "error");
    const message = first
      ? `${first.code} line ${first.range.start.line}: ${first.message}`
      : "does not compile";
    return { admitted: false, wait: { reason, contentVersion, message } };
  }
  if (reason) return { admitted: false, wait: { reason, contentVersion } };
  return { admitted: true, concurrency: compiled.ok ? compiled.manifest.policy.concurrency : 1 };
}
