import type { BundledWorkflow } from "../workflow-files/bundled.ts";
import { NAMES } from "./names.ts";
import workflow from "./WORKFLOW.md";

/** The review of a library's old notes. */
export const LIBRARY_REVIEW: BundledWorkflow = {
  workflowId: NAMES.workflowId,
  ...workflow,
  peopleOnly: [],
};
