import type { StoredError } from "../core/errors.ts";
import type { Requester } from "../core/principal.ts";
import type { FrozenProposal } from "../holds/proposal.ts";

/** Who is landing what, and the token that makes a repeat find the first attempt. */
export type Landing = {
  ownerUid: string;
  runId: string;
  workflowId: string;
  sessionId: string | null;
  requestedBy: Requester;
  writeToken: string;
  proposal: FrozenProposal;
};

export type LandingOutcome =
  | { outcome: "landed"; memoId: string; contentVersion: number; repeated: boolean }
  /** Nothing was written and nothing will be; the draft is kept on the run. */
  | { outcome: "lost"; error: StoredError; lostTo?: LostTo };

/** What a compare-and-set lost to: the version it expected and the one that is there, null where there is none. */
export type LostTo = { memoId: string; expected: number | null; actual: number | null };

/** Writes frozen bytes to one kind of place. Safe to repeat with the same token; a broken store throws. */
export type Dispatcher = (landing: Landing) => Promise<LandingOutcome>;

/** The destinations of this deployment; a workflow that names another one does not compile. */
export type Dispatchers = Partial<Record<FrozenProposal["destination"], Dispatcher>>;
