import type { PlanEntry } from "./plan.ts";

/** What a session has under way here, and since when (epoch ms). */
export type OwnedWork = { kind: "run" | "hold" | "item"; since: number };

/** A job that is older is taken for wedged, and holds its session no longer. */
export const MAX_BACKGROUND_HOURS = 24;

const HOUR_MS = 60 * 60 * 1000;

/**
 * The entry, kept where its session has a running run, an open hold or a pending item that is at most as old as the
 * ceiling. Of a time that cannot be read the age is unknown, and the work holds.
 */
export function keepForOwnedWork(
  entry: PlanEntry,
  owned: OwnedWork | readonly OwnedWork[] | undefined,
  nowMs: number,
  maxBackgroundHours = MAX_BACKGROUND_HOURS,
): PlanEntry {
  if (entry.class === "keep" || owned === undefined) return entry;
  const works: readonly OwnedWork[] = "kind" in owned ? [owned] : owned;
  const holding = works.find(({ since }) => !(nowMs - since > maxBackgroundHours * HOUR_MS));
  return holding ? { ...entry, class: "keep", reasons: [{ code: "ownsWork", kind: holding.kind }] } : entry;
}
