import { MINUTE_MS, SECOND_MS } from "../core/duration.ts";

/**
 * How often a run may be continued by another invocation before it fails as `hop_limit`. Steps of a workflow file
 * count from the last row that they wrote: a map of any length comes to its end, and what only waits does not wait
 * for ever.
 */
export const MAX_HOPS = 64;

/** Kept back at the end of an invocation for the writes that follow a step. */
export const RESERVE_MS = 30 * SECOND_MS;

/** Most that a registered tool may take; those of ours read and write a few rows. */
export const TOOL_TIMEOUT_MS = 2 * MINUTE_MS;

/** Well below STUCK_RUN_MS: a run that waits must not look as if its runner had died. */
export const MAX_WAIT_SEC = 300;

/** What may go better another time, within the policy's retries. */
export const RETRYABLE: ReadonlySet<string> = new Set([
  "model_failed",
  "model_throttled",
  "step_timeout",
  "hook_unavailable",
]);
