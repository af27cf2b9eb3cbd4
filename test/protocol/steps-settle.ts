import { fence } from "./fence.ts";
import { generationOf, itemOf, laneOfRun } from "./scenario.ts";
import {
  CANCELLED,
  CLAIMED,
  PENDING,
  RUNNING,
  SETTLING,
  SUSPENDED,
  endsRun,
  fault,
  headOf,
  isEnded,
  itemAt,
  type Process,
  type State,
  type StepName,
} from "./state.ts";
import { freeSlot, makeReady, setHead, setItem } from "./store-writes.ts";
import {
  end,
  go,
  mayWrite,
  outcomeOf,
  settleAt,
  wrote,
  type Context,
  type Outcome,
  type StepsOf,
} from "./step.ts";

function goOn(
  c: Context,
  label: string,
  state: State,
  p: Process,
  here: StepName,
  applied: boolean,
): Outcome[] {
  const next = c.settleOrder[c.settleOrder.indexOf(here) + 1];
  return next ? go(label, state, p, next, {}, applied) : [{ label, state, next: null, applied }];
}

/** The outcome on the head, then item, slot and head in the rule's order. */
export const settleSteps: StepsOf<"settle"> = {
  "settle.outcome"(c, s, p) {
    const h = headOf(s, p.run);
    if (!mayWrite(c, h, p)) {
      return p.retry && h.status === SETTLING && h.outcome === p.outcome
        ? go("own outcome recognised", s, p, settleAt(c))
        : end("outcome refused: fenced", s);
    }
    const n = setHead(s, p.run, { status: SETTLING, outcome: p.outcome, owned: 0 });
    return wrote(`head: settling (${p.outcome})`, n, p, settleAt(c));
  },

  "settle.item"(c, s, p) {
    const item = itemOf(c.scenario, p.run);
    const generation = generationOf(c.scenario, p.run);
    const { status, generation: stored } = itemAt(s, item);
    const live = status === CLAIMED || (status === PENDING && c.rules.itemCond !== "claimed");
    if (live && (c.rules.itemCond === "status" || stored === generation)) {
      let n = setItem(fence(c, s, p, "item"), item, { status: outcomeOf(p) });
      if (stored !== generation)
        n = fault(n, `generation ${stored} of an item was settled by a run of generation ${generation}`);
      return goOn(c, `item ${item} -> ${p.outcome}`, n, p, "settle.item", true);
    }
    const label = `item ${item} is ${status}, generation ${stored}`;
    const own = stored === generation && isEnded(status);
    if (c.rules.itemLost === "abort" || (c.rules.itemLost === "own" && !own))
      return end(`${label}: give up`, s);
    return goOn(c, `${label}: already settled`, s, p, "settle.item", false);
  },

  "settle.slot"(c, s, p) {
    const n = freeSlot(c, fence(c, s, p, "slot"), p.run);
    const label = `slot: remove run ${p.run}`;
    return c.rules.freeReady === "second-write"
      ? go(label, n, p, "settle.ready")
      : goOn(c, label, n, p, "settle.slot", true);
  },

  "settle.ready"(c, s, p) {
    const n = makeReady(c, s, laneOfRun(c.scenario, p.run));
    return goOn(c, "lane ready", n, p, "settle.slot", true);
  },

  "settle.head"(c, s, p) {
    const h = headOf(s, p.run);
    const decided =
      (h.status === SETTLING && h.outcome === p.outcome) ||
      (h.status === SUSPENDED && endsRun(h.decision) && p.outcome === CANCELLED);
    const landed = p.kind === "runner" && h.status === RUNNING && h.epoch === p.epoch;
    const forced = p.mode === "force" && !isEnded(h.status);
    if (!decided && !landed && !forced) return goOn(c, "head has moved on", s, p, "settle.head", false);
    const n = setHead(s, p.run, { status: outcomeOf(p), active: 0, inbox: 0 });
    return goOn(c, `head: ${p.outcome}, out of active`, n, p, "settle.head", true);
  },
};
