import type { Ids } from "../../lib/core/ids.ts";

/** Ids that show their order: `run_0001`, `hold_0002`. */
export function countingIds(): Ids {
  let count = 0;
  return (prefix) => `${prefix}_${String(++count).padStart(4, "0")}`;
}
