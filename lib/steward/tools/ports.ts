import type { Clock } from "../../core/clock.ts";
import type { SessionStore } from "../../sessions/store.ts";
import type { OwnedWork } from "../owned-work.ts";
import type { VerdictLedger } from "../store.ts";

/** How full the queues are, in words of the deployment; for a report alone. */
export type QueuePressure = Readonly<Record<string, number | null>>;

/** What the tools of a session steward work with. */
export type StewardPorts = {
  sessions: SessionStore;
  ledger: VerdictLedger;
  clock: Clock;
  ownedWork: OwnedWork;
  /** Absent where nobody can say. */
  queuePressure?: (ownerUid: string) => Promise<QueuePressure>;
  /** Which model each role has here, such as `judge.session`. */
  modelRoles(): Readonly<Record<string, string>>;
};
