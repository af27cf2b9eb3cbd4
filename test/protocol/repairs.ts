import { checked } from "./invariants.ts";
import { storeKey } from "./keys.ts";
import { roleOf, rung, stepOf, stillGoing } from "./moves.ts";
import { generationOf, itemOf, laneOf, runOf } from "./scenario.ts";
import {
  ALLOW,
  APPROVE,
  BUDGET,
  CLAIMED,
  CONFLICT,
  REJECT,
  SUSPENDED,
  fault,
  isEnded,
  laneAt,
  newProcess,
  type Chances,
  type Head,
  type Process,
  type State,
} from "./state.ts";
import { enqueueAt } from "./starts.ts";
import type { Context } from "./step.ts";

const NO_CHANCES: Chances = {
  cancel: 0,
  rerun: 0,
  edit: 0,
  remove: 0,
  lost: 0,
  fail: 0,
  expire: 0,
  takeback: 0,
  withdraw: 0,
  hop: 0,
  budget: 0,
  skew: 0,
};

/** One process from start to end, alone. */
function alone(c: Context, from: State, started: Process): State {
  let s = from;
  let p: Process | null = started;
  for (let n = 0; p !== null; n++) {
    if (n > 60) return fault(s, "a process never ends");
    const { label, state, next } = stepOf(c, s, p)[0]!;
    const rings = next?.at === "ring";
    if (c.log && (state.bad || rings || storeKey(state) !== storeKey(s)))
      c.log.push(`${roleOf(p)}: ${label}${rings ? ", ring" : ""}`);
    s = checked(c, rung(state, next));
    if (s.bad) return s;
    p = stillGoing(next);
  }
  return s;
}

/** The processes that one round of repairs starts, each decided on the state the earlier ones left. */
function* repairsOf(c: Context, sweep: boolean, now: () => State): Generator<Process> {
  const runs = now().heads.length;
  for (let run = 0; run < runs; run++)
    if (now().heads[run]?.active) yield newProcess("recover", "recover.read", { run });
  if (c.rules.gone === "absent-head") {
    for (let run = 0; run < runs; run++) {
      const h = now().heads[run] ?? null;
      if (h === null || isEnded(h.status)) yield newProcess("recover", "recover.read", { run });
    }
  }
  for (let lane = 0; lane < now().lanes.length; lane++) {
    const isDue = () =>
      laneAt(now(), lane).ready || (sweep && now().order.some((i) => laneOf(c.scenario, i) === lane));
    for (let n = 0; n < 4 && isDue(); n++) yield newProcess("pass", "pass.lane", { lane });
  }
  for (let run = 0; run < runs; run++) {
    const h = now().heads[run];
    if (h && now().bells[run]! & (1 << h.epoch))
      yield newProcess("runner", "run.lease", { run, epoch: h.epoch });
  }
}

const withoutBells = (s: State): State => ({ ...s, bells: s.bells.map(() => 0) });

/** Everything stops; a caller whose enqueue was not answered asks again, unless the scenario says it never does. */
function stopped(c: Context, s: State): State {
  const still = { ...withoutBells(s), procs: [], left: { ...s.left, chances: NO_CHANCES } };
  if (c.scenario.noRetry) return still;
  return s.procs.reduce<State>((cur, p) => {
    if (cur.bad || (p.kind !== "enqueue" && p.kind !== "rerun")) return cur;
    const at = p.kind === "rerun" ? "rerun.put" : enqueueAt(c);
    return alone(c, cur, newProcess(p.kind, at, { item: p.item, generation: p.generation }));
  }, still);
}

/** Everything stops, then the repairs run one after the other until nothing changes. */
function repaired(c: Context, s: State, sweep: boolean): State {
  let cur = stopped(c, s);
  if (cur.bad) return cur;
  for (let round = 0; round < 40; round++) {
    const before = storeKey(cur);
    for (const p of repairsOf(c, sweep, () => cur)) {
      cur = alone(c, cur, p);
      if (cur.bad) return cur;
    }
    cur = withoutBells(cur);
    if (storeKey(cur) === before) return atRest(c, cur);
  }
  return fault(cur, "the repairs never come to rest");
}

const waits = (h: Head): boolean => h.status === SUSPENDED && h.decision === "";

function unfinishedLane(c: Context, s: State, lane: number): string | null {
  const { slots, ready } = laneAt(s, lane);
  if (slots.length) return `quiet, and lane ${lane} still holds slot {${slots.join()}}`;
  return s.order.some((i) => laneOf(c.scenario, i) === lane)
    ? `quiet, and an item waits on lane ${lane} (ready: ${ready ? "yes" : "no"})`
    : null;
}

function unfinishedRun(c: Context, s: State, run: number): string | null {
  const h = s.heads[run] ?? null;
  if (h === null) return null;
  const item = s.items[itemOf(c.scenario, run)]!;
  const isCurrent = item.generation === generationOf(c.scenario, run);
  const ended = isEnded(h.status);
  if (!ended && !waits(h)) {
    const state = h.status + (h.decision ? ", decided" : "");
    return `quiet, and run ${run} is neither terminal nor waiting in the inbox (${state})`;
  }
  if (waits(h) && (item.status !== CLAIMED || !isCurrent))
    return `quiet, and run ${run} waits while its item is ${item.status}`;
  return ended && isCurrent && item.status !== h.status
    ? `quiet, and run ${run} is ${h.status} while its item is ${item.status}`
    : null;
}

function unfinishedItem(c: Context, s: State, i: number): string | null {
  const { status, generation } = s.items[i]!;
  return status === CLAIMED && s.heads[runOf(c.scenario, i, generation)] === null
    ? `quiet, and item ${i} is claimed by a run that does not exist`
    : null;
}

function atRest(c: Context, s: State): State {
  const first = (count: number, why: (c: Context, s: State, at: number) => string | null) => {
    for (let at = 0; at < count; at++) {
      const found = why(c, s, at);
      if (found) return found;
    }
    return null;
  };
  const why =
    first(s.lanes.length, unfinishedLane) ??
    first(s.heads.length, unfinishedRun) ??
    first(s.items.length, unfinishedItem);
  return why === null ? s : fault(s, why);
}

/**
 * What is left unfinished if every process stops in this state, every doorbell is lost and only the repairs run, then
 * every waiting hold is decided and they run again; null when everything is settled.
 */
export function unfinished(c: Context, s: State): string | null {
  const sweep = c.scenario.sweep === true && c.rules.sweep === "yes";
  const afterwards = " (once the hold was decided)";
  let cur = repaired(c, s, sweep);
  if (cur.bad) return cur.bad;
  for (let n = 0; n < 6; n++) {
    let any = false;
    for (let run = 0; run < cur.heads.length; run++) {
      const h = cur.heads[run];
      if (!h || !waits(h)) continue;
      any = true;
      const mode = h.gateKind === CONFLICT ? REJECT : h.gateKind === BUDGET ? ALLOW : APPROVE;
      const shown = { revision: h.gateRevision, holdSeq: h.holdSeq, sha: h.gateSha };
      cur = alone(c, cur, newProcess("steward", "steward.decide", { run, mode, ...shown }));
      if (cur.bad) return cur.bad + afterwards;
    }
    if (!any) return null;
    cur = repaired(c, cur, sweep);
    if (cur.bad) return cur.bad + afterwards;
  }
  return "holds without end";
}
