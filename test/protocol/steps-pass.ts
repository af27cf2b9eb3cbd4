import { generationOf, itemOf, laneOf, runOf } from "./scenario.ts";
import {
  CANCELLED,
  CLAIMED,
  PENDING,
  RUNNING,
  SETTLING,
  isEnded,
  itemAt,
  laneAt,
  newHead,
  replaced,
} from "./state.ts";
import { SAW_ENQUEUES, SAW_SLOTS, freeSlot, leaveReady, setHead, setItem, takeSlot } from "./store-writes.ts";
import { afterClaim, end, go, outcomeOf, settleAt, wrote, type StepsOf } from "./step.ts";

const NOTHING_CLAIMED = { item: -1, run: -1, generation: 0 } as const;

/** A pass over one lane: one claim, or the lane leaves `ready`. */
export const passSteps: StepsOf<"pass"> = {
  "pass.lane"(_c, s, p) {
    const slots = laneAt(s, p.lane).slots.join();
    const fresh = SAW_ENQUEUES | SAW_SLOTS;
    return go(`read lane ${p.lane} (inFlight {${slots}})`, s, p, "pass.query", { fresh, slots });
  },

  "pass.query"(c, s, p) {
    const item = s.order.find((x) => laneOf(c.scenario, x) === p.lane);
    if (item === undefined) {
      const look = p.slots && c.rules.emptyCheck === "yes" ? "pass.check" : "pass.empty";
      const next = c.rules.clearRead === "after" ? "pass.late" : look;
      return go("pending list: empty", s, p, next, { mode: "empty" });
    }
    const { generation } = itemAt(s, item);
    const run = runOf(c.scenario, item, generation);
    const learned = { item, generation, run, slots: "" };
    return go(`pending list: item ${item}`, s, p, c.claimOrder[0]!, learned);
  },

  "pass.late"(_c, s, p) {
    const fresh = SAW_ENQUEUES | SAW_SLOTS;
    return go("read lane (after the list)", s, p, "pass.empty", { fresh, slots: "" });
  },

  "pass.slot"(c, s, p) {
    const lane = laneAt(s, p.lane);
    const next = afterClaim(c, "pass.slot");
    if (lane.slots.includes(p.run)) return go(`slot ${p.run} already there`, s, p, next);
    if (c.rules.slotToken === "yes" && !(p.fresh & SAW_SLOTS))
      return end(`slot ${p.run} refused: slots have changed since the lane was read`, s);
    if (lane.slots.length >= c.scenario.lanes[p.lane]!) {
      const label = `slot ${p.run} refused: full`;
      if (c.rules.capped === "keep") return end(label, s);
      if (c.rules.capped === "clear") return go(label, s, p, "pass.capped", NOTHING_CLAIMED);
      return go(label, s, p, "pass.check", { ...NOTHING_CLAIMED, slots: lane.slots.join() });
    }
    return wrote(`slot: add run ${p.run}`, takeSlot(s, p.lane, p.run), p, next);
  },

  "pass.head"(c, s, p) {
    const h = s.heads[p.run] ?? null;
    const next = afterClaim(c, "pass.head");
    if (h === null) {
      const n = { ...s, heads: replaced(s.heads, p.run, newHead()) };
      return wrote(`put HEAD of run ${p.run}`, n, p, next);
    }
    if (c.rules.headExists === "finish" && isEnded(h.status)) {
      const label = `HEAD of run ${p.run} is ${h.status}, its item pending`;
      return go(label, s, p, "pass.mend", { outcome: h.status });
    }
    if (c.rules.headExists !== "continue" && !(h.status === RUNNING && h.epoch === 0))
      return end(`HEAD of run ${p.run} exists and is past its start`, s);
    return go(`HEAD of run ${p.run} exists`, s, p, next);
  },

  "pass.item"(c, s, p) {
    const item = itemAt(s, p.item);
    const next = afterClaim(c, "pass.item");
    const mine = item.generation === p.generation;
    if (item.status === PENDING && (c.rules.claimCond === "pending" || mine)) {
      const label = `item ${p.item} (generation ${item.generation}) -> claimed by run ${p.run}`;
      return wrote(label, setItem(s, p.item, { status: CLAIMED }), p, next);
    }
    if (item.status === CLAIMED && mine)
      return go(`item ${p.item} is already claimed by this run`, s, p, next);
    const label = `item ${p.item} is ${item.status}, generation ${item.generation}: claim lost`;
    return c.rules.claimLost === "cancel" ? go(label, s, p, "pass.drop") : end(label, s);
  },

  /** A restored or expired row of the queue would block its lane for ever: it is settled as its run ended. */
  "pass.mend"(_c, s, p) {
    const item = itemAt(s, p.item);
    if (item.status !== PENDING || item.generation !== p.generation)
      return go("item has moved on", s, p, "pass.unslot");
    const n = setItem(s, p.item, { status: outcomeOf(p) });
    return go(`item ${p.item} -> ${p.outcome}`, n, p, "pass.unslot");
  },

  /** The item was withdrawn under the claim: a head that nobody has leased is cancelled like any other. */
  "pass.drop"(c, s, p) {
    const h = s.heads[p.run];
    if (h?.status !== RUNNING || h.epoch !== 0) return end("HEAD has moved on", s);
    const n = setHead(s, p.run, { status: SETTLING, outcome: CANCELLED });
    return go(`HEAD of run ${p.run} -> settling (cancelled)`, n, p, settleAt(c), { outcome: CANCELLED });
  },

  "pass.check"(c, s, p) {
    const [first, ...others] = p.slots.split(",").map(Number);
    const run = first!;
    const h = s.heads[run] ?? null;
    if (h === null) {
      const known = {
        run,
        item: itemOf(c.scenario, run),
        generation: generationOf(c.scenario, run),
        slots: "",
      };
      return go(`run ${run} has a slot and no HEAD: finish its claim`, s, p, "pass.head", known);
    }
    if (isEnded(h.status))
      return go(`run ${run} has a slot and has ended`, s, p, "pass.unslot", { run, slots: "" });
    const leave = p.mode === "empty" ? "pass.empty" : "pass.capped";
    const next = others.length ? "pass.check" : leave;
    return go(`run ${run} has a HEAD`, s, p, next, { slots: others.join() });
  },

  "pass.unslot"(c, s, p) {
    return end(`slot: remove run ${p.run}`, freeSlot(c, s, p.run));
  },

  "pass.capped"(c, s, p) {
    const isFull = laneAt(s, p.lane).slots.length >= c.scenario.lanes[p.lane]!;
    return isFull && (c.rules.capped === "clear" || p.fresh & SAW_SLOTS)
      ? end(`full: lane ${p.lane} not ready`, leaveReady(s, p.lane, 1))
      : end("full: clear refused", s);
  },

  "pass.empty"(c, s, p) {
    if (!(p.fresh & SAW_ENQUEUES)) return end("empty: clear refused, something was enqueued", s);
    if (c.rules.emptyCheck === "yes" && !(p.fresh & SAW_SLOTS))
      return end("empty: clear refused, slots have changed", s);
    return end(`empty: lane ${p.lane} not ready`, leaveReady(s, p.lane, 0));
  },
};
