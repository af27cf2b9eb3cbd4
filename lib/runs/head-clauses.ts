import type { Clause } from "../core/conditional-write.ts";
import { SHARD } from "../core/keys.ts";
import type { RunStatus } from "./run.ts";

/** The head has this status. */
export const status = (value: RunStatus): Clause => ({ path: "status", is: "=", value });

/** A runner's own writes: its epoch, and a status that no other actor has changed. */
export const fenced = (epoch: number): Clause[] => [
  { path: "epoch", is: "=", value: epoch },
  status("running"),
];

/** What lists a head in `active`, and what takes it out of an index again. */
export const ACTIVE = { activeShard: SHARD };
export const OUT_OF_ACTIVE = ["activeShard", "since"];
export const OUT_OF_INBOX = ["inboxOwner", "openedAt", "deadlineShard", "nextDeadlineAt"];
