import type { Call } from "./agent-tool.ts";
import { isSettled, type Work } from "./subject.ts";

/** Longest wait that a call may ask for. */
export const WAIT_MAX_SECONDS = 20;

/** Between two looks: short at first, since a short run ends at once. */
const PAUSES_MS = [150, 250, 400, 600, 1000];

/**
 * Looks again until the work is held or over, or the time is up: it always ends, also when nothing ever starts.
 */
export async function waitFor(
  deps: { pause(ms: number): Promise<void>; clock: { now(): number } },
  { at, waitUntil }: Pick<Call, "at" | "waitUntil">,
  seconds: number,
  look: () => Promise<Work>,
): Promise<Work> {
  const until = Math.min(at + seconds * 1000, waitUntil);
  let work = await look();
  for (let nth = 0; !isSettled(work); nth++) {
    const left = until - deps.clock.now();
    if (left <= 0) break;
    await deps.pause(Math.min(PAUSES_MS[nth] ?? PAUSES_MS.at(-1)!, left));
    work = await look();
  }
  return work;
}
