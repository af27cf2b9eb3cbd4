import { LIBRARY_REVIEW } from "../lib/library-review/bundled.ts";
import { bundledHashes, type BundledWorkflow } from "../lib/workflow-files/bundled.ts";

/** The workflows that come with the project, in the order in which lists show them. */
export const BUNDLED: readonly BundledWorkflow[] = [LIBRARY_REVIEW];

/** What their runs are compared with. */
export const BUNDLED_HASHES = bundledHashes(BUNDLED);
