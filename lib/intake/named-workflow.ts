import { AppError } from "../core/errors.ts";
import { isId } from "../core/ids.ts";
import type { WorkflowLibrary } from "./workflow-library.ts";

/**
 * The id of the workflow that a filter names, by id or command. An id is taken as it is: what a workflow has left
 * behind is found under it, also when its memo is gone.
 * @throws {AppError} workflow_not_found
 */
export async function namedWorkflowId(
  { workflows }: { workflows: Pick<WorkflowLibrary, "find"> },
  ownerUid: string,
  workflow: string,
): Promise<string> {
  if (isId("memo", workflow)) return workflow;
  const found = await workflows.find(ownerUid, workflow);
  if (found) return found.memo.memoId;
  throw new AppError("workflow_not_found", `there is no workflow ${workflow}`, { workflow });
}
