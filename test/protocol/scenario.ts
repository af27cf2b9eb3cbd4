import { proposalKey } from "./proposal-rows.ts";
import { type Rules } from "./rules.ts";
import {
  ABSENT,
  CLAIMED,
  OUTPUT,
  PENDING,
  SUSPENDED,
  newHead,
  replaced,
  type Chances,
  type Memo,
  type State,
  type Verdict,
} from "./state.ts";

/** What the run of an item does at its end, and whether a person decides before. */
export interface Work {
  readonly lands: "none" | "create" | "update";
  readonly held?: true;
  readonly lane?: number;
}

export const NONE: Work = { lands: "none" };
export const CREATE: Work = { lands: "create" };
export const UPDATE: Work = { lands: "update" };
export const HELD: Work = { lands: "create", held: true };
export const HELD_UPDATE: Work = { lands: "update", held: true };

/** A small cast: which items there are, and how often each actor may start. */
export interface Scenario extends Partial<Chances> {
  readonly about: string;
  readonly items: readonly Work[];
  readonly generations: number;
  /** The limit of each lane. */
  readonly lanes: readonly number[];
  /** The items differ in nothing, so they are named in the order in which they are first put. */
  readonly alike?: true;
  readonly enqueues?: readonly number[];
  readonly passes?: number;
  readonly runners?: number;
  readonly recovers?: number;
  /** The verdicts that each steward may give, once. */
  readonly stewards?: readonly (readonly Verdict[])[];
  /** A caller whose enqueue was not answered never asks again. */
  readonly noRetry?: true;
  /** Recover's slow look at every lane takes part in the repairs. */
  readonly sweep?: true;
  /** The model answers the same bytes again. */
  readonly sameBytes?: true;
  /** A lost compare-and-set opens a conflict hold instead of failing the run. */
  readonly conflictHold?: true;
  readonly maxRecoveries?: number;
  readonly maxRevisions?: number;
  readonly start?: (s: State, rules: Rules) => State;
}

export const runOf = (sc: Scenario, item: number, generation: number): number =>
  item * sc.generations + generation - 1;
export const itemOf = (sc: Scenario, run: number): number => Math.floor(run / sc.generations);
export const generationOf = (sc: Scenario, run: number): number => (run % sc.generations) + 1;
export const workOf = (sc: Scenario, run: number): Work => sc.items[itemOf(sc, run)]!;
export const laneOf = (sc: Scenario, item: number): number => sc.items[item]!.lane ?? 0;
export const laneOfRun = (sc: Scenario, run: number): number => laneOf(sc, itemOf(sc, run));

const memoOf = (work: Work): Memo =>
  work.lands === "update"
    ? { version: 1, deleted: 0, chain: ["h:0@1"], rows: [] }
    : { version: 0, deleted: 0, chain: [], rows: [] };

/** The state in which a scenario begins. */
export function initial(sc: Scenario, rules: Rules): State {
  const runs = sc.items.length * sc.generations;
  const empty: State = {
    items: sc.items.map(() => ({ status: ABSENT, generation: 0 })),
    order: [],
    lanes: sc.lanes.map(() => ({ ready: 0, capped: 0, slots: [] })),
    heads: Array.from({ length: runs }, () => null),
    rows: Array.from({ length: runs }, () => []),
    proposals: Array.from({ length: runs }, () => []),
    memos: sc.items.map(memoOf),
    bells: Array.from({ length: runs }, () => 0),
    procs: [],
    left: {
      enqueues: sc.items.map((_, item) => sc.enqueues?.[item] ?? 0),
      passes: sc.passes ?? 0,
      runners: sc.runners ?? 0,
      recovers: sc.recovers ?? 0,
      stewards: (sc.stewards ?? []).map(() => 1),
      chances: {
        cancel: sc.cancel ?? 0,
        rerun: sc.rerun ?? 0,
        edit: sc.edit ?? 0,
        remove: sc.remove ?? 0,
        lost: sc.lost ?? 0,
        fail: sc.fail ?? 0,
        expire: sc.expire ?? 0,
        takeback: sc.takeback ?? 0,
        withdraw: sc.withdraw ?? 0,
        hop: sc.hop ?? 0,
        budget: sc.budget ?? 0,
        skew: sc.skew ?? 0,
      },
    },
    bad: null,
  };
  return sc.start ? sc.start(empty, rules) : empty;
}

/** Every item is claimed and its first doorbell rung, so that budgets go into runs and holds. */
export function claimed(empty: State): State {
  const generations = empty.heads.length / empty.items.length;
  return empty.items.reduce<State>((s, _, item) => {
    const run = item * generations;
    const lanes = s.lanes.map((lane, l) =>
      l === 0 ? { ready: 0 as const, capped: 0 as const, slots: [...lane.slots, run] } : lane,
    );
    return {
      ...s,
      items: replaced(s.items, item, { status: CLAIMED, generation: 1 }),
      heads: replaced(s.heads, run, newHead()),
      bells: replaced(s.bells, run, 1),
      lanes,
    };
  }, empty);
}

/** The first of two items is claimed and has the only slot; the second is not there yet. */
export function firstClaimed(empty: State): State {
  const s = claimed(empty);
  return {
    ...s,
    items: replaced(s.items, 1, { status: ABSENT, generation: 0 }),
    heads: replaced(s.heads, 1, null),
    lanes: [{ ready: 0, capped: 0, slots: [0] }],
    bells: [1, 0],
  };
}

/** Every item is pending and the lane is ready. */
export const pending = (s: State): State => ({
  ...s,
  items: s.items.map(() => ({ status: PENDING, generation: 1 })),
  order: s.items.map((_, item) => item),
  lanes: s.lanes.map((lane) => ({ ...lane, ready: 1 })),
});

/** One run waits at its first gate, its slot freed. */
export const held =
  (base = 0) =>
  (empty: State, rules: Rules): State => ({
    ...claimed(empty),
    lanes: empty.lanes.map(() => ({ ready: 0, capped: 0, slots: [] })),
    bells: empty.bells.map(() => 0),
    rows: replaced(empty.rows, 0, ["1.1"]),
    heads: replaced(empty.heads, 0, {
      ...newHead(),
      status: SUSPENDED,
      epoch: 1,
      owned: 0,
      active: 0,
      inbox: 1,
      step: 1,
      row: "1.1",
      holdSeq: 1,
      gateRevision: 1,
      gateSha: "m1.1",
      gateBase: base,
      gateKind: OUTPUT,
    }),
    proposals: replaced(empty.proposals, 0, [`${proposalKey(rules, 1, "m1.1")}=m1.1@${base}`]),
  });
