import { AppError } from "../core/errors.ts";
import type { Commands } from "./commands.ts";

/**
 * The id of the workflow that a filter names, by id or command. An id is taken as it is: what a workflow has left
 * behind is found under it, also when its memo is gone.
 * @throws {AppError} workflow_not_found
 */
export async function namedWorkflowId(
  { workflows }: { workflows: Pick<Commands, "idOf"> },
  ownerUid: string,
  workflow: string,
): Promise<string> {
  const workflowId = await workflows.idOf(ownerUid, workflow);
  if (workflowId !== undefined) return workflowId;
  throw new AppError("workflow_not_found", `there is no workflow ${workflow}`, { workflow });
}
