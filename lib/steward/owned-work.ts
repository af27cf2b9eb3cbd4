import type { OwnedWork as Work } from "./rules/owned-work.ts";

export type { Work };

/** What an owner's sessions still have under way here, by session; the youngest work of each. */
export type OwnedWork = (ownerUid: string) => Promise<ReadonlyMap<string, Work>>;

/** The younger of two works of a session. */
export const younger = (known: Work | undefined, found: Work): Work =>
  known && known.since >= found.since ? known : found;
