/*
 * The protocol of writes as a table of decisions, and where each row of it stands in the code.
 *
 * The model explores every interleaving of a small cast on a store that offers one conditional write on one item and
 * nothing more. A process is one write or read at a time and may stop, or pause and wake later, between any two;
 * doorbells are lost, doubled and late; a write may be applied and its answer lost, so that its caller writes again.
 * "The heartbeat is old" is possible at any time: safety rests on no clock. A change of the writes below is made here
 * first, as a rule with its alternatives, and in the code after the model holds.
 *
 *   node test/protocol/main.ts                  every scenario under the rules of the code: must hold
 *   node test/protocol/main.ts --doc            the same under the plain reading of a first draft: shows faults
 *   node test/protocol/main.ts --matrix         one rule changed at a time: each breaks or holds as expected
 *   node test/protocol/main.ts --walk 2000 --seed 7    seeded random walks over the big scenario
 *   node test/protocol/main.ts --list           scenarios, rules and their alternatives
 *   options: --only a,b   --rule name=value,…   --set passes=4,…   --max STATES   --seconds N   --trace   --all
 *   All scenarios together need --max-old-space-size=10000.
 *
 * | row    | in the code                                     | here                                            |
 * | ------ | ----------------------------------------------- | ----------------------------------------------- |
 * | E1     | queue store put; again: queue requeueItem       | enqueue.put, rerun.put                          |
 * | E2     | queue readyLane                                 | enqueue.ready                                   |
 * | P0     | reads of a pass                                 | pass.lane, pass.query                           |
 * | P1     | queue takeSlot                                  | pass.slot                                       |
 * | P2     | runs newHead                                    | pass.head                                       |
 * | P3     | queue claimItem                                 | pass.item                                       |
 * | P4     | queue clearEmpty, queue clearWaiting            | pass.empty                                      |
 * | P5     | reads of a pass, then P2 or T2, T3              | pass.check, pass.mend, pass.unslot              |
 * | P6     | queue clearFull                                 | pass.capped                                     |
 * | L1     | runs lease                                      | run.lease                                       |
 * | W1     | runs store putPart                              | run.row                                         |
 * | W2     | runs checkpoint                                 | run.checkpoint                                  |
 * | W3     | runs store putPart                              | run.proposal                                    |
 * | H1     | runs openGate                                   | gate.freeze, gate.budget                        |
 * | H2     | queue freeSlot                                  | gate.slot                                       |
 * | H3     | runs suspend                                    | gate.hold                                       |
 * | D1     | runs store putPart                              | steward.edit                                    |
 * | D2     | runs decideHold                                 | steward.decide                                  |
 * | D3     | runs expireHold                                 | recover.expire                                  |
 * | D4     | runs takeBack                                   | steward.takeback                                |
 * | D5     | runs remindHold                                 | (no step: it changes when a hold is due next)   |
 * | C1     | runs cancelRun, runs withdrawnHead              | cancel.decide, withdraw.put                     |
 * | –      | runs unreadableHead, then T2 to T4              | withdraw.put, with failed as its outcome        |
 * | I1     | runs intend                                     | dispatch.intent                                 |
 * | I2, I3 | memos store putVersion, moveHead                | dispatch.body, dispatch.cur, dispatch.look      |
 * | V1     | runs revise                                     | run.revise                                      |
 * | I4     | runs openConflict, runs recordOutcome           | gate.conflict, settle.outcome                   |
 * | T1     | runs recordOutcome, runs recordStaged           | settle.outcome                                  |
 * | T2     | queue settleItem, queue settleUnreadable        | settle.item                                     |
 * | T3     | queue freeSlot                                  | settle.slot                                     |
 * | T4     | runs endRun                                     | settle.head                                     |
 * | R1     | queue claimItem, then the same ticket again     | recover.claim                                   |
 * | R2     | runs recoverLease                               | recover.bump                                    |
 * | R2x    | runs exhaust                                    | recover.bump at the bound                       |
 * | R3…R5  | the rows they name                              | recover.read                                    |
 * | S1     | queue declareLane, queue readyLane              | the repairs of a scenario with `sweep`          |
 * | S2     | queue freeSlot, in the same write               | freeSlot in store-writes.ts                     |
 * | –      | runs heartbeat                                  | any step of a runner                            |
 * | –      | runs release                                    | the hop in run.process                          |
 */

/** Each rule: the code's, the first draft's plain reading, then the other alternatives. */
export const RULES = {
  enqueueOrder: ["item-ready", "item-ready", "ready-item"],
  /** A duplicate enqueue repeats the lane's ready write. */
  dupReady: ["yes", "no"],
  /** What "no enqueue since the read" compares. */
  readyToken: ["counter", "timestamp"],
  /** The lane is read before or after the pending list. */
  clearRead: ["before", "before", "after"],
  /** A slot is added only if none was added or freed since the lane was read. */
  slotToken: ["yes", "no"],
  claimOrder: [
    "slot-head-item",
    "slot-head-item",
    "head-slot-item",
    "slot-item-head",
    "item-slot-head",
    "head-item-slot",
    "item-head-slot",
  ],
  /** The claim of the item states its generation, or "pending" alone. */
  claimCond: ["generation", "pending"],
  /** What a pass does when the head exists and is past its start. */
  headExists: ["finish", "continue", "stop"],
  /** A full lane leaves ready after a look at its slots, at once, or never. */
  capped: ["check", "clear", "keep"],
  /** An empty lane leaves ready after a look at its slots. */
  emptyCheck: ["yes", "no"],
  /** Cancelling a pending item: on its (perhaps new) head, or on the item itself. */
  withdraw: ["head", "item"],
  /** The item left pending between slot and claim: the pass stops, or cancels the run. */
  claimLost: ["stop", "stop", "cancel"],
  /** Freeing a slot makes the lane ready again. */
  freeReady: ["if-capped", "never", "same-write", "second-write"],
  /** An enqueue on a lane that left ready because it is full. */
  enqCapped: ["set", "set", "skip"],
  /** Recover frees the slots of runs without a head. */
  gone: ["never", "absent-head"],
  /** Recover on a run that nobody picked up. */
  redispatch: ["claim-ring", "ring", "claim-bump-ring"],
  /** Recover's write states the heartbeat it read, or the epoch alone. */
  recoverCond: ["heartbeat", "heartbeat", "epoch"],
  /** Recover on a decided run that nobody picked up. */
  recoverDecided: ["ring", "bump"],
  /** Resume rings only, or first writes suspended -> running. */
  resume: ["ring", "ring", "write-ring"],
  /** Resume takes a slot again, whatever the limit. */
  resumeSlot: ["no", "no", "take"],
  /** The lease states the status too, or the epoch alone. */
  lease: ["status", "epoch"],
  /** Fenced writes state the status too, or the epoch alone. */
  fenced: ["status", "epoch"],
  /** A step row is keyed by step, revision and epoch, or by step and epoch. */
  stepKey: ["revision", "step"],
  /** Readers follow the row the head names, or take the first found. */
  stepRow: ["pointer", "pointer", "first"],
  /** A step row without a checkpoint is used again. */
  reuse: ["yes", "yes", "no"],
  /** How a proposal row is put. */
  prop: ["sha-key", "overwrite", "absent-own", "absent-adopt"],
  suspend: ["mark-slot-head", "slot-head", "head-slot", "head-slot-unlist"],
  /** The parts of a decision's condition. */
  decision: ["full", "full", "no-hold", "no-sha", "no-undecided"],
  /** Expiry states the hold it read. */
  expireCond: ["hold", "hold", "status"],
  /** A hold's id is of (run, n-th hold), or of (run, step, revision). */
  holdId: ["sequence", "revision"],
  /** A revision begins with a write of its own, or with the checkpoint of its step. */
  revise: ["first", "checkpoint"],
  /** A new gate keeps the record of the old decision, in a row that is put before it. */
  decisionLog: ["kept", "overwritten"],
  /** How the edited bytes are keyed. */
  edited: ["sha-key", "rev-key"],
  editedOrder: ["row-decision", "row-decision", "decision-row"],
  /** Take-back opens a new hold id and moves the epoch on, or the latter alone, or neither. */
  takeBack: ["new-hold", "epoch", "plain"],
  /** Dispatch with or without an intent on the head. */
  intent: ["head", "head", "none"],
  /** The intent looks at the decision. */
  intentCond: ["decision", "decision", "none"],
  /** A memo's body row is keyed by version and token, or by version alone. */
  body: ["token", "token", "version"],
  /** The compare-and-set is on the frozen base, or on the version read at dispatch. */
  memoCas: ["frozen", "frozen", "reread"],
  /** The destination answers an error after the intent: try again, or fail the run. */
  dispatchError: ["retry", "fail"],
  /** After a lost compare-and-set look at the chain, or at CUR alone. */
  recognise: ["chain", "cur"],
  /** Deleting a memo leaves a tombstone, or nothing. */
  remove: ["tombstone", "row"],
  /** A failure is recorded on the head before item and slot are touched. */
  settle: ["decide-first", "direct"],
  settleOrder: [
    "item-slot-head",
    "item-slot-head",
    "slot-item-head",
    "head-item-slot",
    "item-head-slot",
    "slot-head-item",
  ],
  /** Settle's condition on the item. */
  itemCond: ["generation", "claimed", "status"],
  /** Settle goes on when the item is settled or has moved on, only when it was settled by this run, or never. */
  itemLost: ["continue", "own", "abort"],
  /** Decide-plain leaves the epoch where it is. */
  cancel: ["decide-first", "settle-order", "head-only-first", "decide-plain"],
  /** Cancel after the intent to dispatch. */
  cancelIntent: ["refuse", "allow"],
  /** Giving a run up as recovered too often after the intent to dispatch. */
  exhaustIntent: ["refuse", "allow"],
  /** Recover slowly looks at every lane, not only at ready ones. */
  sweep: ["yes", "no"],
} as const;

type RuleName = keyof typeof RULES;
export type Rules = { readonly [Name in RuleName]: (typeof RULES)[Name][number] };

const column = (at: 0 | 1): Rules =>
  Object.fromEntries(Object.entries(RULES).map(([name, values]) => [name, values[at]])) as Rules;

/** The rules that the code follows. */
export const amended = (): Rules => column(0);

/** The plain reading of the first draft. */
export const asWritten = (): Rules => column(1);

/** The rules with `name=value,name=value` changed. */
export function withChanges(rules: Rules, changes: string): Rules {
  return changes
    .split(",")
    .filter(Boolean)
    .reduce<Rules>((changed, change) => {
      const [name = "", value = ""] = change.split("=");
      const known: readonly string[] = Object.hasOwn(RULES, name) ? RULES[name as RuleName] : [];
      if (!known.includes(value)) throw new Error(`no such rule: ${change}`);
      return { ...changed, [name]: value };
    }, rules);
}
