import { laneOfRun } from "./scenario.ts";
import {
  BUDGET,
  CONFLICT,
  OUTPUT,
  RUNNING,
  SUSPENDED,
  SUSPENDING,
  fault,
  headOf,
  type Head,
  type Process,
  type State,
} from "./state.ts";
import { freeSlot, makeReady, setHead } from "./store-writes.ts";
import { fence } from "./fence.ts";
import { end, go, mayWrite, sameHold, wrote, type Context, type Outcome, type StepsOf } from "./step.ts";

const NO_BYTES = { sha: "", base: 0 } as const;
const UNDECIDED = { decision: "", decidedSha: "", decidedBase: 0 } as const;

/** The state with a fault, if a gate may not be written over this head. */
function gateOver(c: Context, n: State, h: Head, p: Process): State {
  if (h.status !== RUNNING) return fault(n, "a gate that had been opened was opened again");
  if (h.gateKind !== BUDGET && h.gateRevision === p.revision && h.decision !== "")
    return fault(n, "a recorded decision was erased");
  if (h.owed) return fault(n, "changes were asked for and are forgotten");
  if (h.row !== "" && !p.sha.startsWith("m" + h.row) && !c.scenario.sameBytes)
    return fault(n, "the frozen proposal was not made from the checkpointed step row");
  return n;
}

const outputGate = (h: Head, p: Process): Partial<Head> => ({
  holdSeq: h.holdSeq + 1,
  gateRevision: p.revision,
  gateSha: p.sha,
  gateBase: p.base,
  gateKind: OUTPUT,
  ...UNDECIDED,
});

function afterSlot(c: Context, label: string, s: State, p: Process): Outcome[] {
  if (c.rules.suspend === "mark-slot-head" || headOf(s, p.run).status === SUSPENDING)
    return go(label, s, p, "gate.hold");
  if (c.rules.suspend === "slot-head") return go(label, s, p, "gate.suspend");
  if (c.rules.suspend === "head-slot-unlist") return go(label, s, p, "gate.unlist");
  return end(label, s);
}

/** A run stops for a person. */
export const gateSteps: StepsOf<"gate"> = {
  "gate.freeze"(c, s, p) {
    const h = headOf(s, p.run);
    if (!mayWrite(c, h, p)) {
      return p.retry && h.status === SUSPENDING && h.epoch === p.epoch
        ? go("own gate recognised", s, p, "gate.slot", { holdSeq: h.holdSeq, ...NO_BYTES })
        : end("gate refused: fenced", s);
    }
    const n = setHead(s, p.run, { status: SUSPENDING, ...outputGate(h, p) });
    const label = `head: gate ${p.revision} frozen (${p.sha}), suspending`;
    return wrote(label, gateOver(c, n, h, p), p, "gate.slot", { holdSeq: h.holdSeq + 1, ...NO_BYTES });
  },

  "gate.budget"(c, s, p) {
    const h = headOf(s, p.run);
    const { revision } = h;
    if (!mayWrite(c, h, p)) {
      return p.retry && h.status === SUSPENDING && h.epoch === p.epoch
        ? go("own gate recognised", s, p, "gate.slot", { revision, holdSeq: h.holdSeq })
        : end("budget gate refused: fenced", s);
    }
    const n = setHead(s, p.run, {
      status: SUSPENDING,
      holdSeq: h.holdSeq + 1,
      gateRevision: revision,
      gateSha: `q${revision}`,
      gateBase: 0,
      gateKind: BUDGET,
      ...UNDECIDED,
    });
    const learned = { revision, holdSeq: h.holdSeq + 1 };
    return wrote(`head: budget gate of revision ${revision}, suspending`, n, p, "gate.slot", learned);
  },

  "gate.slot"(c, s, p) {
    const n = freeSlot(c, fence(c, s, p, "slot"), p.run);
    const label = `slot: remove run ${p.run}`;
    return c.rules.freeReady === "second-write" ? go(label, n, p, "gate.ready") : afterSlot(c, label, n, p);
  },

  "gate.ready"(c, s, p) {
    return afterSlot(c, "lane ready", makeReady(c, s, laneOfRun(c.scenario, p.run)), p);
  },

  "gate.hold"(c, s, p) {
    const h = headOf(s, p.run);
    if (h.status !== SUSPENDING || !sameHold(c, h, p)) return end("already suspended, or moved on", s);
    const n = setHead(s, p.run, { status: SUSPENDED, owned: 0, active: 0, inbox: 1 });
    return wrote("head: suspended, into inbox", n, p, "stop");
  },

  /** The gate and its suspension in one write. */
  "gate.suspend"(c, s, p) {
    const h = headOf(s, p.run);
    const slotIsFree = c.rules.suspend === "slot-head";
    const next = slotIsFree ? "stop" : "gate.slot";
    if (!mayWrite(c, h, p)) {
      return p.retry && h.gateRevision === p.revision
        ? go("own gate recognised", s, p, next)
        : end("suspend refused: fenced", s);
    }
    const n = setHead(s, p.run, {
      status: SUSPENDED,
      owned: 0,
      active: c.rules.suspend === "head-slot-unlist" ? 1 : 0,
      inbox: 1,
      ...outputGate(h, p),
    });
    const label = `head: gate ${p.revision} (${p.sha}), suspended, into inbox`;
    return wrote(label, gateOver(c, n, h, p), p, next, slotIsFree ? {} : NO_BYTES);
  },

  "gate.unlist"(_c, s, p) {
    const h = headOf(s, p.run);
    if (h.status !== SUSPENDED || h.decision !== "" || h.gateRevision !== p.revision || !h.active)
      return end("moved on", s);
    return end("head: out of active", setHead(s, p.run, { active: 0 }));
  },

  "gate.conflict"(c, s, p) {
    const h = headOf(s, p.run);
    if (!mayWrite(c, h, p)) return end("conflict refused: fenced", s);
    const revision = c.rules.holdId === "sequence" ? h.revision + 1 : h.revision;
    const n = setHead(s, p.run, {
      status: SUSPENDING,
      revision,
      holdSeq: h.holdSeq + 1,
      gateRevision: revision,
      gateSha: p.sha,
      gateBase: p.base,
      gateKind: CONFLICT,
      ...UNDECIDED,
      intent: 0,
      intentSha: "",
      intentBase: 0,
    });
    const learned = { revision, holdSeq: h.holdSeq + 1, ...NO_BYTES };
    return go("head: conflict gate, suspending", n, p, "gate.slot", learned);
  },
};
