import type { ConditionalWrite } from "../../lib/core/conditional-write.ts";
import type { StoredError } from "../../lib/core/errors.ts";
import {
  decideHold,
  expireHold,
  openConflict,
  openGate,
  remindHold,
  revise,
  suspend,
  takeBack,
} from "../../lib/runs/gate-writes.ts";
import type { Decision, Gate, Intent, Verdict } from "../../lib/runs/run.ts";
import {
  cancelRun,
  checkpoint,
  endRun,
  exhaust,
  heartbeat,
  intend,
  lease,
  recordOutcome,
  recordStaged,
  recoverLease,
  release,
} from "../../lib/runs/writes.ts";
import { agent, OWNER } from "../support/loop.ts";

/** What happened to a run, and a write that comes too late for it: it must be refused. */
export type LateWrite = { because: string; before: readonly ConditionalWrite[]; late: ConditionalWrite };

const error: StoredError = { code: "internal", class: "internal", message: "", hint: "", at: 1 };
const gate: Gate = {
  kind: "output",
  holdId: "hold_1",
  stepId: "publish",
  revision: 1,
  sha256: "sha256:shown",
  openedAt: 10,
  expiresAt: 1010,
};
const second: Gate = { ...gate, holdId: "hold_2" };
const intent: Intent = { stepId: "publish", revision: 1, sha256: "sha256:shown" };
const hold = { holdId: "hold_1", sha256: "sha256:shown", ownerUid: OWNER };
const said = (verdict: Verdict, more: Partial<Decision> = {}): Decision => ({
  decisionId: "dec_1",
  verdict,
  by: "human:ana",
  username: "ana",
  at: 50,
  ...more,
});

const leased = [lease(0, "lease_1", 1)];
const takenOver = [
  ...leased,
  recoverLease({ epoch: 1, heartbeatAt: 1, recoveries: 0 }, 2),
  lease(2, "lease_2", 3),
];
const frozen = [...leased, openGate(1, gate, 1, 10)];
const held = [...frozen, suspend(gate, OWNER)];
const decided = (verdict: Verdict, more?: Partial<Decision>) => [
  ...held,
  decideHold(hold, said(verdict, more)),
];
const resumed = (verdict: Verdict, more?: Partial<Decision>) => [
  ...decided(verdict, more),
  lease(1, "lease_2", 60),
];
const seenDecided = { epoch: 1, holdSeq: 1, gate, decision: said("approve"), ownerUid: OWNER };
const takenBack = [...decided("approve"), takeBack(seenDecided, "hold_2")];
const intended = [...leased, intend(1, intent, "auto", 5)];
const landed = [...intended, endRun("done", { epoch: 1, settledAt: 6 })];
const failing = [...leased, recordOutcome(1, "failed", error, 5)];
const back = { holdId: "hold_1", revision: 1, step: 2, rows: ["", ""] } as const;

/** Every write that a runner makes at an epoch. */
const ofRunner = (epoch: number, at: number): ConditionalWrite[] => [
  checkpoint(epoch, { step: 3, rows: [] }, at),
  heartbeat(epoch, at),
  release(epoch, { hops: 1, tries: 0 }, at),
  openGate(epoch, second, 2, at),
  intend(epoch, intent, "auto", at),
  recordOutcome(epoch, "failed", error, at),
  recordStaged(epoch, intent, at),
];

const late = (
  because: string,
  before: readonly ConditionalWrite[],
  ...writes: ConditionalWrite[]
): LateWrite[] => writes.map((write) => ({ because, before, late: write }));

export const LATE_HEADS: readonly LateWrite[] = [
  ...late("another runner has the run", takenOver, ...ofRunner(1, 9)),
  ...late("the runner itself has opened a gate", frozen, ...ofRunner(1, 19)),
  ...late("a later heartbeat stands", [...leased, heartbeat(1, 8)], heartbeat(1, 7)),

  ...late("its ticket was used", leased, lease(0, "lease_2", 2)),
  ...late("the gate is not yet shown", frozen, lease(1, "lease_2", 20)),
  ...late("nobody has decided", held, lease(1, "lease_2", 20)),
  ...late("it was rejected", decided("reject"), lease(1, "lease_2", 60)),
  ...late(
    "it has landed",
    [...resumed("approve"), intend(2, intent, "hold", 61), endRun("done", { epoch: 2, settledAt: 62 })],
    lease(2, "lease_3", 63),
  ),

  ...late("the run is not being suspended", leased, suspend(gate, OWNER)),
  ...late("it is another gate", [...leased, openGate(1, second, 2, 20)], suspend(gate, OWNER)),
  ...late("it was decided and runs", resumed("approve"), suspend(gate, OWNER)),

  ...late("the gate is not yet shown", frozen, decideHold(hold, said("approve"))),
  ...late("somebody was first", decided("reject"), decideHold(hold, said("approve"))),
  ...late(
    "the decision was taken back, and the hold is another",
    takenBack,
    decideHold(hold, said("approve")),
  ),
  ...late("other bytes were shown", held, decideHold({ ...hold, sha256: "sha256:other" }, said("approve"))),
  ...late("it is another's library", held, decideHold({ ...hold, ownerUid: "bo" }, said("approve"))),
  ...late("the requester decides", held, decideHold(hold, said("approve", { by: agent.principalId }))),

  ...late("the gate is not yet shown", frozen, expireHold("hold_1", said("expire"))),
  ...late("somebody was first", decided("approve"), expireHold("hold_1", said("expire"))),
  ...late("the hold is another by now", takenBack, expireHold("hold_1", said("expire"))),
  ...late("the gate is not yet shown", [...frozen, setDeadline(510)], remindHold(gate, 510)),
  ...late("somebody has decided", [...decided("approve"), setDeadline(510)], remindHold(gate, 510)),
  ...late("the hold is another by now", [...takenBack, setDeadline(510)], remindHold(gate, 510)),
  ...late("the reminder was left", [...held, remindHold(gate, 510)], remindHold(gate, 510)),

  ...late("it was not decided", held, takeBack(seenDecided, "hold_2")),
  ...late("the ticket moved on", resumed("approve"), takeBack(seenDecided, "hold_2")),
  ...late("it was a rejection", decided("reject"), takeBack(seenDecided, "hold_2")),
  ...late("another decided", decided("approve", { by: "human:bo" }), takeBack(seenDecided, "hold_2")),
  ...late(
    "it is another decision",
    decided("approve", { decisionId: "dec_2" }),
    takeBack(seenDecided, "hold_2"),
  ),
  ...late(
    "the bytes are on their way",
    [...resumed("approve"), intend(2, intent, "hold", 61)],
    takeBack({ ...seenDecided, epoch: 2 }, "hold_2"),
  ),
  ...late(
    "the hold is another by now, decided in the same words",
    [...takenBack, decideHold({ ...hold, holdId: "hold_2" }, said("approve"))],
    takeBack({ ...seenDecided, epoch: 2 }, "hold_3"),
  ),
  ...late(
    "the run ends",
    [...resumed("approve"), recordOutcome(2, "failed", error, 61)],
    takeBack({ ...seenDecided, epoch: 2 }, "hold_2"),
  ),

  ...late("the run has no intent", leased, openConflict(1, second, 2, 9)),
  ...late("the run was taken over", [...intended, ...takeOver(5)], openConflict(1, second, 2, 9)),
  ...late("it has landed", landed, openConflict(1, second, 2, 9)),
  ...late("no changes were asked for", resumed("approve"), revise(2, back, 61)),
  ...late(
    "the revision was begun",
    [...resumed("request_changes"), revise(2, back, 61)],
    revise(2, back, 62),
  ),
  ...late("another runner has the run", resumed("request_changes"), revise(1, back, 61)),
  ...late("it is another hold's", resumed("request_changes"), revise(2, { ...back, holdId: "hold_2" }, 61)),
  ...late(
    "the run ends",
    [...resumed("request_changes"), recordOutcome(2, "failed", error, 61)],
    revise(2, back, 62),
  ),

  ...late("the run was leased since", leased, cancelRun(0, error, 9)),
  ...late("the run ends as failed", failing, cancelRun(1, error, 9)),
  ...late("the bytes are on their way", intended, cancelRun(1, error, 9)),
  ...late("it was rejected", decided("reject"), cancelRun(1, error, 60)),

  ...late("nobody approved", leased, intend(1, intent, "hold", 9)),
  ...late("changes were asked for", resumed("request_changes"), intend(2, intent, "hold", 61)),
  ...late(
    "other bytes were approved",
    resumed("approve"),
    intend(2, { ...intent, sha256: "sha256:other" }, "hold", 61),
  ),
  ...late(
    "edited bytes were approved",
    resumed("approve_edited", { lands: "sha256:edited" }),
    intend(2, intent, "hold", 61),
  ),

  ...late("the run has no end yet", leased, endRun("failed", { epoch: 1, settledAt: 9 })),
  ...late("the run ends otherwise", failing, endRun("cancelled", { epoch: 1, settledAt: 9 })),
  ...late("nothing was on its way", leased, endRun("done", { epoch: 1, settledAt: 9 })),
  ...late(
    "the run was taken over",
    [...intended, ...takeOver(5)],
    endRun("done", { epoch: 1, settledAt: 9 }),
  ),
  ...late("it waits for an answer to a conflict", conflicted(), endRun("done", { epoch: 1, settledAt: 30 })),
  ...late("nobody refused it", held, endRun("cancelled", { epoch: 1, settledAt: 20 })),
  ...late("it was approved", decided("approve"), endRun("cancelled", { epoch: 1, settledAt: 60 })),
  ...late("it has landed", landed, endRun("done", { epoch: 1, settledAt: 7 })),

  ...late(
    "it was rejected and has ended",
    [...decided("reject"), endRun("cancelled", { epoch: 1, settledAt: 60 })],
    endRun("cancelled", { epoch: 1, settledAt: 61 }),
  ),

  ...late(
    "it has beaten since",
    [...leased, heartbeat(1, 8)],
    recoverLease({ epoch: 1, heartbeatAt: 1, recoveries: 0 }, 9),
    exhaust({ epoch: 1, heartbeatAt: 1 }, error, 9),
  ),
  ...late(
    "its runner has let it go",
    [...leased, release(1, { hops: 1, tries: 0 }, 5)],
    recoverLease({ epoch: 1, heartbeatAt: 5, recoveries: 0 }, 9),
  ),
  ...late(
    "another took it at the same moment",
    [...leased, recoverLease({ epoch: 1, heartbeatAt: 1, recoveries: 0 }, 1), lease(2, "lease_2", 1)],
    recoverLease({ epoch: 1, heartbeatAt: 1, recoveries: 0 }, 1),
    exhaust({ epoch: 1, heartbeatAt: 1 }, error, 9),
  ),
  ...late(
    "it has opened a gate at the same moment",
    [...leased, openGate(1, gate, 1, 1)],
    exhaust({ epoch: 1, heartbeatAt: 1 }, error, 9),
  ),
  ...late("the bytes are on their way", intended, exhaust({ epoch: 1, heartbeatAt: 5 }, error, 9)),
];

function takeOver(heartbeatAt: number): ConditionalWrite[] {
  return [
    recoverLease({ epoch: 1, heartbeatAt, recoveries: 0 }, heartbeatAt + 1),
    lease(2, "lease_2", heartbeatAt + 2),
  ];
}

function conflicted(): ConditionalWrite[] {
  return [...intended, openConflict(1, second, 2, 20)];
}

/** The deadline as a caller has read it, so that it is not what refuses the write. */
function setDeadline(nextDeadlineAt: number): ConditionalWrite {
  return { name: "given", set: { nextDeadlineAt }, when: [] };
}
