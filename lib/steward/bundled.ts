import type { BundledWorkflow } from "../workflow-files/bundled.ts";
import { NAMES } from "./names.ts";
import workflow from "./WORKFLOW.md";

/** The session steward; a program may rehearse it, and a person or the schedule applies it. */
export const SESSION_STEWARD: BundledWorkflow = {
  workflowId: NAMES.workflowId,
  ...workflow,
  peopleOnly: ["apply"],
};
