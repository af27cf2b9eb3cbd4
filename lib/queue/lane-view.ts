import type { Lane } from "./lane.ts";

/** A lane as it is shown: why its items wait, or that they do not. */
export const laneView = (lane: Lane) => ({
  ready: lane.readyShard !== undefined,
  full: lane.capped ?? false,
  inFlight: [...lane.inFlight],
  waits: lane.wait ?? null,
  servedAt: lane.servedAt || null,
});
