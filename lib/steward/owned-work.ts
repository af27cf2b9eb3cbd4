/** What a session still has under way here: a run that runs, a hold that waits for a person, an item in the queue. */
export type Work = {
  kind: "run" | "hold" | "item";
  /** Epoch ms of the youngest of its kind. */
  since: number;
};

/** By session; the youngest work of each. */
export type OwnedWork = (ownerUid: string) => Promise<ReadonlyMap<string, Work>>;

/** Work that is older keeps no session any more: a wedged run would hold it for ever. */
export const MAX_BACKGROUND_HOURS = 24;

/** The work that keeps a session, if any does; exactly as old as the ceiling still does. */
export function keepingWork(
  work: Work | undefined,
  nowMs: number,
  maxBackgroundHours = MAX_BACKGROUND_HOURS,
): Work | undefined {
  return work && nowMs - work.since <= maxBackgroundHours * 60 * 60 * 1000 ? work : undefined;
}

/** The younger of two works of a session. */
export const younger = (known: Work | undefined, found: Work): Work =>
  known && known.since >= found.since ? known : found;
