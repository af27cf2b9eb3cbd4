import { headKey } from "./keys.ts";
import { itemOf, laneOf } from "./scenario.ts";
import {
  CLEARED,
  PENDING,
  fault,
  isEnded,
  itemAt,
  laneAt,
  memoAt,
  replaced,
  type Head,
  type Item,
  type Lane,
  type State,
} from "./state.ts";
import type { Context } from "./step.ts";

/** Bits of what a pass has seen: no enqueue since it read the lane, and no slot added or freed since. */
export const SAW_ENQUEUES = 1;
export const SAW_SLOTS = 2;

const setLane = (s: State, lane: number, value: Lane): State => ({
  ...s,
  lanes: replaced(s.lanes, lane, value),
});

const outdate = (s: State, lane: number, bit: number): State => ({
  ...s,
  procs: s.procs.map((p) =>
    p.kind === "pass" && p.lane === lane && p.fresh & bit ? { ...p, fresh: p.fresh & ~bit } : p,
  ),
});

/** One write of a head; whoever recovers on an earlier read of it loses. */
export function setHead(s: State, run: number, patch: Partial<Head>): State {
  const old = s.heads[run]!;
  let h: Head = { ...old, ...patch };
  if (isEnded(h.status)) h = { ...h, ...CLEARED };
  const n: State = {
    ...s,
    heads: replaced(s.heads, run, h),
    procs: s.procs.map((p) => (p.kind === "recover" && p.run === run && p.fresh ? { ...p, fresh: 0 } : p)),
  };
  if (isEnded(old.status) && headKey(old) !== headKey(h)) return fault(n, "a terminal head changed");
  return h.epoch < old.epoch ? fault(n, "the epoch went back") : n;
}

/** One write of an item; the pending list follows it. */
export function setItem(s: State, item: number, patch: Partial<Item>): State {
  const old = itemAt(s, item);
  const next = { ...old, ...patch };
  const n: State = {
    ...s,
    items: replaced(s.items, item, next),
    order: next.status === PENDING ? s.order : s.order.filter((x) => x !== item),
  };
  return isEnded(old.status) && next.status !== PENDING ? fault(n, "a settled item changed") : n;
}

/** E2. */
export function makeReady(c: Context, s: State, lane: number): State {
  const old = laneAt(s, lane);
  const n =
    old.capped && c.rules.enqCapped === "skip" ? s : setLane(s, lane, { ...old, ready: 1, capped: 0 });
  return c.rules.readyToken === "counter" ? outdate(n, lane, SAW_ENQUEUES) : n;
}

/** P1. */
export function addSlot(s: State, lane: number, run: number): State {
  const old = laneAt(s, lane);
  return setLane(s, lane, { ...old, slots: [...old.slots, run].sort() });
}

/** P1, seen by every pass that has read the lane. */
export const takeSlot = (s: State, lane: number, run: number): State =>
  outdate(addSlot(s, lane, run), lane, SAW_SLOTS);

/** H2, T3 and S2 in one write. */
export function freeSlot(c: Context, s: State, run: number): State {
  const lane = laneOf(c.scenario, itemOf(c.scenario, run));
  const old = laneAt(s, lane);
  const again = c.rules.freeReady === "same-write" || (c.rules.freeReady === "if-capped" && old.capped);
  const n = setLane(s, lane, {
    ready: again ? 1 : old.ready,
    capped: again ? 0 : old.capped,
    slots: old.slots.filter((x) => x !== run),
  });
  return outdate(n, lane, SAW_SLOTS);
}

/** P4 and P6: the lane leaves `ready`. */
export const leaveReady = (s: State, lane: number, capped: 0 | 1): State =>
  setLane(s, lane, { ...laneAt(s, lane), ready: 0, capped });

/** I2: a body row is put under its version and its writer's token; CUR may name it later. */
export function putBody(
  c: Context,
  s: State,
  item: number,
  version: number,
  token: string,
  bytes: string,
): State {
  const key = c.rules.body === "token" ? `${version}#${token}` : `${version}`;
  const m = memoAt(s, item);
  const rows = [...m.rows.filter((x) => !x.startsWith(key + "=")), `${key}=${token}:${bytes}`].sort();
  return { ...s, memos: replaced(s.memos, item, { ...m, rows }) };
}

/** A doorbell, once rung, may arrive at any time, any number of times, or never. */
export const ring = (s: State, run: number, epoch: number): State => ({
  ...s,
  bells: replaced(s.bells, run, s.bells[run]! | (1 << epoch)),
});
