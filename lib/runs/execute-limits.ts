import { SECOND_MS } from "../core/duration.ts";

/** How often a run may be continued by another invocation before it fails as `hop_limit`. */
export const MAX_HOPS = 64;

/** Kept back at the end of an invocation for the writes that follow a step. */
export const RESERVE_MS = 30 * SECOND_MS;
