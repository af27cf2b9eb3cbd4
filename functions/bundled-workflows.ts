import { LIBRARY_REVIEW } from "../lib/library-review/bundled.ts";
import { SESSION_STEWARD } from "../lib/steward/bundled.ts";
import { bundledHashes, type BundledWorkflow } from "../lib/workflow-files/bundled.ts";

/** The workflows that come with the project, in the order in which lists show them. */
export const BUNDLED: readonly BundledWorkflow[] = [SESSION_STEWARD, LIBRARY_REVIEW];

/** What their runs are compared with. */
export const BUNDLED_HASHES = bundledHashes(BUNDLED);
