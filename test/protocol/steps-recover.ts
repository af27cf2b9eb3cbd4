import { generationOf, itemOf, laneOfRun } from "./scenario.ts";
import {
  CANCELLED,
  CLAIMED,
  EXPIRED,
  FAILED,
  PENDING,
  RUNNING,
  SETTLING,
  SUSPENDED,
  SUSPENDING,
  endsRun,
  fault,
  headOf,
  isEnded,
  itemAt,
  laneAt,
  runsOn,
  spend,
  type Head,
  type Process,
  type State,
} from "./state.ts";
import { addSlot, freeSlot, setHead, setItem } from "./store-writes.ts";
import { end, go, sameHold, settleAt, wrote, type Context, type Outcome, type StepsOf } from "./step.ts";

const hasSlot = (s: State, run: number): boolean => s.lanes.some((lane) => lane.slots.includes(run));

function undecided(c: Context, s: State, p: Process, h: Head, say: string): Outcome[] {
  if (h.active && c.rules.suspend === "head-slot-unlist")
    return go(`${say}suspended, still listed`, s, p, "gate.slot", { revision: h.gateRevision });
  if (s.left.chances.expire === 0) return end(`${say}waiting`, s);
  const label = `${say}hold ${h.gateRevision} has expired`;
  const read = { revision: h.gateRevision, holdSeq: h.holdSeq };
  return go(label, spend(s, "expire"), p, "recover.expire", read);
}

function decided(c: Context, s: State, p: Process, h: Head, say: string): Outcome[] {
  if (endsRun(h.decision)) return go(`${say}rejected`, s, p, settleAt(c), { outcome: CANCELLED });
  const label = `${say}decided`;
  if (c.rules.resume === "write-ring") return go(label, s, p, "recover.resume", { epoch: h.epoch });
  if (c.rules.recoverDecided === "bump") return go(label, s, p, "recover.bump", { epoch: h.epoch, fresh: 1 });
  const next = c.rules.resumeSlot === "take" ? "recover.slot" : "ring";
  return go(label, s, p, next, { epoch: h.epoch });
}

function running(c: Context, s: State, p: Process, h: Head, say: string): Outcome[] {
  const { epoch } = h;
  if (h.owned) {
    const label = `${say}epoch ${epoch}, heartbeat old`;
    return go(label, s, p, "recover.bump", { epoch, fresh: 1 });
  }
  const label = `${say}nobody has it`;
  if (c.rules.redispatch === "ring") return go(label, s, p, "ring", { epoch });
  const claim = { epoch, item: itemOf(c.scenario, p.run), generation: generationOf(c.scenario, p.run) };
  return go(label, s, p, "recover.claim", claim);
}

/** Recover and resume: look at one run of the active index and finish what it is in the middle of. */
export const recoverSteps: StepsOf<"recover"> = {
  "recover.read"(c, s, p) {
    const h = s.heads[p.run] ?? null;
    const say = `read HEAD of run ${p.run}: `;
    if (h === null || isEnded(h.status)) {
      const isGone = c.rules.gone === "absent-head" && hasSlot(s, p.run);
      if (isGone) return go(`${say}${h?.status ?? "gone"}, with a slot`, s, p, "recover.gone");
      return end(say + (h?.status ?? "none"), s);
    }
    if (h.status === SETTLING) {
      const outcome = h.outcome;
      return go(`${say}settling`, s, p, settleAt(c), { outcome });
    }
    if (h.status === SUSPENDING)
      return go(`${say}suspending`, s, p, "gate.slot", { revision: h.gateRevision, holdSeq: h.holdSeq });
    if (h.status !== SUSPENDED) return running(c, s, p, h, say);
    return h.decision === "" ? undecided(c, s, p, h, say) : decided(c, s, p, h, say);
  },

  "recover.gone"(c, s, p) {
    return end(`free the slot of run ${p.run}`, freeSlot(c, s, p.run));
  },

  "recover.claim"(c, s, p) {
    const item = itemAt(s, p.item);
    const mine = item.generation === p.generation;
    const next = c.rules.redispatch === "claim-bump-ring" ? "recover.rebell" : "ring";
    const forget = { item: -1, generation: 0 };
    if (item.status === PENDING && mine) {
      const n = setItem(s, p.item, { status: CLAIMED });
      return go(`item ${p.item} -> claimed by run ${p.run}`, n, p, next, forget);
    }
    if (item.status === CLAIMED && mine) return go(`item ${p.item} is claimed by it`, s, p, next, forget);
    const label = `item ${p.item} is ${item.status}, generation ${item.generation}`;
    if (p.epoch === 0 && c.rules.claimLost === "cancel")
      return go(`${label}: claim lost`, s, p, "pass.drop", { ...forget, epoch: -1 });
    return go(label, s, p, next, forget);
  },

  "recover.rebell"(_c, s, p) {
    const h = headOf(s, p.run);
    const epoch = p.epoch + 1;
    if (h.epoch !== p.epoch || h.owned || h.status !== RUNNING) return end("moved on", s);
    return go(`epoch ${p.epoch} -> ${epoch}`, setHead(s, p.run, { epoch }), p, "ring", { epoch });
  },

  "recover.resume"(_c, s, p) {
    const h = headOf(s, p.run);
    const epoch = p.epoch + 1;
    if (h.epoch !== p.epoch || h.status !== SUSPENDED || !runsOn(h.decision)) return end("moved on", s);
    const n = setHead(s, p.run, { status: RUNNING, epoch, owned: 0, active: 1, inbox: 0, resumed: 1 });
    return go(`head: suspended -> running, epoch ${p.epoch} -> ${epoch}`, n, p, "ring", { epoch });
  },

  "recover.slot"(c, s, p) {
    const lane = laneOfRun(c.scenario, p.run);
    const n = laneAt(s, lane).slots.includes(p.run) ? s : addSlot(s, lane, p.run);
    return go(`slot: add run ${p.run}, whatever the limit`, n, p, "ring");
  },

  "recover.bump"(c, s, p) {
    const h = headOf(s, p.run);
    const epoch = p.epoch + 1;
    const asRead =
      (p.fresh || c.rules.recoverCond === "epoch") &&
      h.epoch === p.epoch &&
      (h.owned || h.status === SUSPENDED);
    if (!asRead) {
      return p.retry && h.epoch === epoch && !h.owned
        ? go("answer was lost: ring anyway", s, p, "ring", { epoch, fresh: 0 })
        : end("recover refused: the head was written since", s);
    }
    const max = c.scenario.maxRecoveries ?? 2;
    const atBound = h.recoveries >= max;
    if (atBound && h.status === SUSPENDED) {
      const why = "an approved run was given up although nobody had ever picked it up";
      return end("recovery_exhausted", fault(s, why));
    }
    if (atBound && !(h.intent && c.rules.exhaustIntent === "refuse")) {
      const failed = { outcome: FAILED, fresh: 0, epoch: -1 } as const;
      if (c.rules.settle === "direct")
        return go("recovery_exhausted", s, p, settleAt(c), { ...failed, mode: "force" });
      const n = setHead(s, p.run, { status: SETTLING, outcome: FAILED, owned: 0 });
      return wrote("head: settling (failed, recovery_exhausted)", n, p, settleAt(c), failed);
    }
    const recoveries = Math.min(max, h.recoveries + 1);
    const n = setHead(s, p.run, { epoch, owned: 0, recoveries });
    const label = `epoch ${p.epoch} -> ${epoch}, recoveries ${recoveries}`;
    return wrote(label, n, p, "ring", { epoch, fresh: 0 });
  },

  "recover.expire"(c, s, p) {
    const h = headOf(s, p.run);
    const isOpen = h.status === SUSPENDED && h.decision === "";
    if (!isOpen || (c.rules.expireCond === "hold" && !sameHold(c, h, p))) return end("expiry refused", s);
    const n = setHead(s, p.run, { decision: EXPIRED, inbox: 0, active: 1 });
    const stale = "a hold was expired on the evidence of an older one";
    return end(`decision: expired (hold ${h.holdSeq})`, h.holdSeq === p.holdSeq ? n : fault(n, stale));
  },
};
