import type { Clause, ConditionalWrite } from "../core/conditional-write.ts";
import type { StoredError } from "../core/errors.ts";
import type { Id } from "../core/ids.ts";
import type { Item, SettledStatus } from "../queue/item.ts";
import { ACTIVE, fenced, OUT_OF_ACTIVE, OUT_OF_INBOX, status } from "./head-clauses.ts";
import { ENDS, LANDS, RUNS_ON, type Intent, type LandingRecord, type RunIn } from "./run.ts";
import type { Spent } from "./spent.ts";

// Each function is one row of the table of writes; the names in front are its names there.

/** What a head takes over from its item. */
type HeadItem = Pick<
  Item,
  "ownerUid" | "workflowId" | "itemKey" | "generation" | "requestedBy" | "sessionId"
>;

/** P2: the head of a run that nobody has leased yet. */
export function newHead(
  item: HeadItem,
  runId: Id<"run">,
  at: number,
): RunIn<"running"> & Record<string, unknown> {
  return {
    runId,
    status: "running",
    ownerUid: item.ownerUid,
    workflowId: item.workflowId,
    itemKey: item.itemKey,
    generation: item.generation,
    requestedBy: item.requestedBy,
    ...(item.sessionId && { sessionId: item.sessionId }),
    createdAt: at,
    epoch: 0,
    heartbeatAt: at,
    step: 0,
    rows: [],
    revision: 1,
    holdSeq: 0,
    recoveries: 0,
    hops: 0,
    tries: 0,
    ...ACTIVE,
    since: at,
  };
}

/**
 * C1 of an item that still waits: its head is put as settling, so that a claim of the same item finds a run that
 * is ending and stops.
 */
export function withdrawnHead(
  item: Item,
  runId: Id<"run">,
  error: StoredError,
  at: number,
): RunIn<"settling"> & Record<string, unknown> {
  return { ...newHead(item, runId, at), status: "settling", outcome: "cancelled", error, epoch: 1 };
}

/** The same for an item whose row cannot be run: it ends as failed, and says why. */
export function unreadableHead(
  item: HeadItem,
  runId: Id<"run">,
  error: StoredError,
  at: number,
): RunIn<"settling"> & Record<string, unknown> {
  return { ...newHead(item, runId, at), status: "settling", outcome: "failed", error, epoch: 1 };
}

/** L1: one ticket, one runner. */
export function lease(ticketEpoch: number, leaseOwner: string, at: number): ConditionalWrite {
  return {
    name: "L1 lease",
    set: { status: "running", epoch: ticketEpoch + 1, leaseOwner, heartbeatAt: at },
    when: [
      { path: "epoch", is: "=", value: ticketEpoch },
      {
        any: [
          [status("running")],
          [status("suspended"), { path: "gate.decision.verdict", is: "in", values: RUNS_ON }],
        ],
      },
    ],
  };
}

/** W2: the step is done and this is its row; readers follow the name. */
export function checkpoint(
  epoch: number,
  done: { step: number; rows: readonly string[]; spent?: Spent | undefined },
  at: number,
): ConditionalWrite {
  return {
    name: "W2 checkpoint",
    set: { step: done.step, rows: done.rows, spent: done.spent, heartbeatAt: at, tries: 0 },
    remove: ["unfinished"],
    when: fenced(epoch),
  };
}

/** The runner is alive. An earlier time never lowers the stored one. */
export function heartbeat(epoch: number, at: number): ConditionalWrite {
  return {
    name: "heartbeat",
    set: { heartbeatAt: at },
    when: [...fenced(epoch), { path: "heartbeatAt", is: "<=", value: at }],
  };
}

/** The runner lets go; whoever has the next ticket of this epoch goes on. */
export function release(epoch: number, next: { hops: number; tries: number }, at: number): ConditionalWrite {
  return {
    name: "release",
    set: { ...next, heartbeatAt: at },
    remove: ["leaseOwner"],
    when: fenced(epoch),
  };
}

/** C1: the run ends as cancelled, unless its approved bytes are already on their way. */
export function cancelRun(
  epoch: number,
  error: StoredError,
  at: number,
  unfinished?: Spent,
): ConditionalWrite {
  return {
    name: "C1 cancel",
    set: {
      status: "settling",
      outcome: "cancelled",
      error,
      unfinished,
      epoch: epoch + 1,
      ...ACTIVE,
      since: at,
    },
    remove: ["leaseOwner", ...OUT_OF_INBOX],
    when: [
      { path: "epoch", is: "=", value: epoch },
      { path: "status", is: "in", values: ["running", "suspending", "suspended"] },
      { path: "intent", is: "absent" },
      {
        any: [
          [{ path: "gate.decision", is: "absent" }],
          [{ path: "gate.decision.verdict", is: "in", values: RUNS_ON }],
        ],
      },
    ],
  };
}

/**
 * I1: from here on the run can only land these bytes. A held run needs its approval, on the same bytes.
 */
export function intend(
  epoch: number,
  intent: Intent,
  approval: "hold" | "auto",
  at: number,
): ConditionalWrite {
  return {
    name: "I1 intent",
    set: { intent, heartbeatAt: at },
    when: [...fenced(epoch), ...(approval === "hold" ? approvedBytes(intent.sha256) : [])],
  };
}

/** A decision to land, on the bytes that its hold showed or on those that it names itself. */
const approvedBytes = (sha256: string): Clause[] => [
  { path: "gate.decision.verdict", is: "in", values: LANDS },
  {
    any: [
      [{ path: "gate.decision.lands", is: "=", value: sha256 }],
      [
        { path: "gate.decision.lands", is: "absent" },
        { path: "gate.sha256", is: "=", value: sha256 },
      ],
    ],
  },
];

/** T1: how the run ends, recorded before item and slot are touched. */
export function recordOutcome(
  epoch: number,
  outcome: SettledStatus,
  error: StoredError | undefined,
  at: number,
  unfinished?: Spent,
): ConditionalWrite {
  return {
    name: "T1 outcome",
    set: { status: "settling", outcome, error, unfinished, heartbeatAt: at },
    remove: ["leaseOwner"],
    when: fenced(epoch),
  };
}

/** T1 of a staged run: it ends as done, and names what it would have written. */
export function recordStaged(epoch: number, staged: Intent, at: number): ConditionalWrite {
  return {
    name: "T1 staged",
    set: { status: "settling", outcome: "done", staged, heartbeatAt: at },
    remove: ["leaseOwner"],
    when: fenced(epoch),
  };
}

/** T4: the last write of a run takes it out of `active`; everything else is done before it. */
export function endRun(
  outcome: SettledStatus,
  ended: { epoch: number; settledAt: number; landing?: LandingRecord; error?: StoredError },
): ConditionalWrite {
  return {
    name: "T4 end",
    set: { status: outcome, settledAt: ended.settledAt, landing: ended.landing, error: ended.error },
    remove: ["leaseOwner", "outcome", ...OUT_OF_ACTIVE, ...OUT_OF_INBOX],
    when: [
      {
        any: [
          [status("settling"), { path: "outcome", is: "=", value: outcome }],
          // After a landing, done may be settled without T1.
          ...(outcome === "done"
            ? [[...fenced(ended.epoch), { path: "intent", is: "exists" } as const]]
            : []),
          ...(outcome === "cancelled"
            ? [[status("suspended"), { path: "gate.decision.verdict", is: "in", values: ENDS } as const]]
            : []),
        ],
      },
    ],
  };
}

/** R2: a runner that went quiet has lost its lease; the heartbeat that was read is the condition, no clock is. */
export function recoverLease(
  seen: { epoch: number; heartbeatAt: number; recoveries: number },
  at: number,
): ConditionalWrite {
  return {
    name: "R2 recover",
    set: { epoch: seen.epoch + 1, recoveries: seen.recoveries + 1, heartbeatAt: at },
    remove: ["leaseOwner"],
    when: [
      ...fenced(seen.epoch),
      { path: "heartbeatAt", is: "=", value: seen.heartbeatAt },
      { path: "leaseOwner", is: "exists" },
    ],
  };
}

/** R2x: recovered too often. Never once the intent stands, since the memo may have landed. */
export function exhaust(
  seen: { epoch: number; heartbeatAt: number },
  error: StoredError,
  at: number,
  unfinished?: Spent,
): ConditionalWrite {
  return {
    name: "R2x exhausted",
    set: { status: "settling", outcome: "failed", error, unfinished, heartbeatAt: at },
    remove: ["leaseOwner"],
    when: [
      ...fenced(seen.epoch),
      { path: "heartbeatAt", is: "=", value: seen.heartbeatAt },
      { path: "intent", is: "absent" },
    ],
  };
}
