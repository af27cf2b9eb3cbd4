import type { ConditionalWrite } from "../core/conditional-write.ts";
import type { Id } from "../core/ids.ts";
import { SHARD } from "../core/keys.ts";
import { deadlineAfter } from "./deadline.ts";
import { ACTIVE, fenced, OUT_OF_ACTIVE, OUT_OF_INBOX, status } from "./head-clauses.ts";
import { LANDS, nthHold, type Decision, type Gate } from "./run.ts";
import type { Spent } from "./spent.ts";

// Each function is one row of the table of writes; the names in front are its names there.
// These are the writes of gates: opened, shown, decided, taken back.

/** H1: the gate is frozen. The slot is freed only after it, so that an old runner cannot free a new one's. */
export function openGate(
  epoch: number,
  gate: Gate,
  holdSeq: number,
  at: number,
  unfinished?: Spent,
): ConditionalWrite {
  return {
    name: "H1 gate",
    set: { status: "suspending", gate, holdSeq, unfinished, heartbeatAt: at },
    remove: ["leaseOwner"],
    when: fenced(epoch),
  };
}

/**
 * I4: the approved bytes lost to a person's edit, so a person decides again. The intent is gone with it: nobody can
 * land the old bytes any more, since their base is a version of the past.
 */
export function openConflict(epoch: number, gate: Gate, holdSeq: number, at: number): ConditionalWrite {
  return {
    name: "I4 conflict",
    set: { status: "suspending", gate, holdSeq, heartbeatAt: at },
    remove: ["leaseOwner", "intent"],
    when: [...fenced(epoch), { path: "intent", is: "exists" }],
  };
}

/**
 * V1: changes were asked for. The run goes back to the step that wrote the proposal, as the next revision, before
 * any model is called; the decision stays on the head until the next gate.
 */
export function revise(
  epoch: number,
  back: { holdId: Id<"hold">; revision: number; step: number; rows: readonly string[] },
  at: number,
): ConditionalWrite {
  const { holdId, revision, step, rows } = back;
  return {
    name: "V1 revise",
    set: { revision: revision + 1, step, rows, revises: nthHold(holdId), heartbeatAt: at, tries: 0 },
    when: [
      ...fenced(epoch),
      { path: "revision", is: "=", value: revision },
      { path: "gate.holdId", is: "=", value: holdId },
      { path: "gate.decision.verdict", is: "=", value: "request_changes" },
    ],
  };
}

/** H3: in the inbox, out of what recover looks at. */
export function suspend(gate: Gate, ownerUid: string): ConditionalWrite {
  return {
    name: "H3 suspend",
    set: {
      status: "suspended",
      inboxOwner: ownerUid,
      openedAt: gate.openedAt,
      deadlineShard: SHARD,
      nextDeadlineAt: deadlineAfter(gate, gate.openedAt),
    },
    remove: OUT_OF_ACTIVE,
    when: [status("suspending"), { path: "gate.holdId", is: "=", value: gate.holdId }],
  };
}

/** D2: a person's decision on exactly these bytes of exactly this hold. */
export function decideHold(
  hold: { holdId: string; sha256: string; ownerUid: string },
  decision: Decision,
): ConditionalWrite {
  return {
    name: "D2 decision",
    set: { "gate.decision": decision, ...ACTIVE, since: decision.at },
    remove: OUT_OF_INBOX,
    when: [
      status("suspended"),
      { path: "gate.holdId", is: "=", value: hold.holdId },
      { path: "gate.sha256", is: "=", value: hold.sha256 },
      { path: "gate.decision", is: "absent" },
      { path: "ownerUid", is: "=", value: hold.ownerUid },
      { path: "requestedBy.principalId", is: "<>", value: decision.by },
    ],
  };
}

/** D5: a reminder was left; the hold is due again at its next deadline. */
export function remindHold(gate: Gate, seenDeadlineAt: number): ConditionalWrite {
  return {
    name: "D5 remind",
    set: { nextDeadlineAt: deadlineAfter(gate, seenDeadlineAt) },
    when: [
      status("suspended"),
      { path: "gate.holdId", is: "=", value: gate.holdId },
      { path: "gate.decision", is: "absent" },
      { path: "nextDeadlineAt", is: "=", value: seenDeadlineAt },
    ],
  };
}

/**
 * D4: an approval is taken back before anything was written for it. The hold is another one from here on, and every
 * ticket that is out is void, so that neither a late runner nor a repeat of the decision can act on the old one.
 */
export function takeBack(
  seen: { epoch: number; holdSeq: number; gate: Gate; decision: Decision; ownerUid: string },
  holdId: Id<"hold">,
): ConditionalWrite {
  const { decision: _decision, ...open } = seen.gate;
  const gate: Gate = { ...open, holdId };
  return {
    name: "D4 take back",
    set: {
      status: "suspended",
      epoch: seen.epoch + 1,
      gate,
      holdSeq: seen.holdSeq + 1,
      inboxOwner: seen.ownerUid,
      openedAt: gate.openedAt,
      deadlineShard: SHARD,
      nextDeadlineAt: deadlineAfter(gate, seen.decision.at),
    },
    remove: ["leaseOwner", ...OUT_OF_ACTIVE],
    when: [
      { path: "status", is: "in", values: ["suspended", "running"] },
      { path: "epoch", is: "=", value: seen.epoch },
      { path: "gate.holdId", is: "=", value: seen.gate.holdId },
      { path: "gate.decision.decisionId", is: "=", value: seen.decision.decisionId },
      { path: "gate.decision.by", is: "=", value: seen.decision.by },
      { path: "gate.decision.verdict", is: "in", values: LANDS },
      { path: "intent", is: "absent" },
    ],
  };
}

/** D3: the hold that was read has outlived its time. */
export function expireHold(holdId: string, decision: Decision): ConditionalWrite {
  return {
    name: "D3 expire",
    set: { "gate.decision": decision, ...ACTIVE, since: decision.at },
    remove: OUT_OF_INBOX,
    when: [
      status("suspended"),
      { path: "gate.holdId", is: "=", value: holdId },
      { path: "gate.decision", is: "absent" },
    ],
  };
}
