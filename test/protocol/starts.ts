import { itemOf, laneOf, runOf } from "./scenario.ts";
import {
  ABSENT,
  ALLOW,
  APPROVE,
  APPROVE_EDITED,
  BUDGET,
  CANCELLED,
  CONFLICT,
  PENDING,
  REBASE,
  REJECT,
  REQUEST_CHANGES,
  RUNNING,
  SUSPENDED,
  approves,
  isEnded,
  memoAt,
  newProcess,
  replaced,
  spend,
  type Head,
  type Left,
  type Process,
  type State,
  type Verdict,
} from "./state.ts";
import { settleAt, type Context } from "./step.ts";

/** A process that may start, and the state with its budget taken. */
export interface Start {
  readonly state: State;
  readonly process: Process;
}

/** The first step of an enqueue. */
export const enqueueAt = (c: Context) =>
  c.rules.enqueueOrder === "ready-item" ? "enqueue.ready" : "enqueue.put";

const leaving = (s: State, patch: Partial<Left>): State => ({ ...s, left: { ...s.left, ...patch } });

function startsOnItem(c: Context, s: State, i: number): Start[] {
  const out: Start[] = [];
  const { enqueues, chances } = s.left;
  const item = s.items[i]!;
  const n = enqueues[i]!;
  if (n > 0 && (!c.scenario.alike || i === 0 || s.items[i - 1]!.status !== ABSENT)) {
    const state = leaving(s, { enqueues: replaced(enqueues, i, n - 1) });
    out.push({ state, process: newProcess("enqueue", enqueueAt(c), { item: i, ordinal: n }) });
  }
  if (chances.rerun > 0 && isEnded(item.status) && item.generation < c.scenario.generations) {
    const known = { item: i, generation: item.generation };
    out.push({ state: spend(s, "rerun"), process: newProcess("rerun", "rerun.put", known) });
  }
  if (chances.withdraw > 0 && item.status === PENDING) {
    const known = { item: i, run: runOf(c.scenario, i, item.generation) };
    out.push({ state: spend(s, "withdraw"), process: newProcess("withdraw", "withdraw.put", known) });
  }
  const m = memoAt(s, i);
  if (m.version === 0 || m.deleted) return out;
  if (chances.edit > 0) {
    const known = { item: i, ordinal: chances.edit };
    out.push({ state: spend(s, "edit"), process: newProcess("person", "person.edit", known) });
  }
  if (chances.remove > 0)
    out.push({ state: spend(s, "remove"), process: newProcess("person", "person.delete", { item: i }) });
  return out;
}

function startPass(c: Context, s: State, lane: number): Start[] {
  const { passes } = s.left;
  const hasItems = s.items.some((item, i) => item.status !== ABSENT && laneOf(c.scenario, i) === lane);
  if (passes === 0 || !hasItems) return [];
  const process = newProcess("pass", "pass.lane", { lane, ordinal: passes });
  return [{ state: leaving(s, { passes: passes - 1 }), process }];
}

function startRecover(s: State, run: number): Start {
  const { recovers } = s.left;
  const process = newProcess("recover", "recover.read", { run, ordinal: recovers });
  return { state: leaving(s, { recovers: recovers - 1 }), process };
}

function cancelOf(c: Context, run: number): Process {
  switch (c.rules.cancel) {
    case "settle-order":
      return newProcess("cancel", settleAt(c), { run, outcome: CANCELLED, mode: "force" });
    case "head-only-first":
      return newProcess("cancel", "cancel.head", { run });
    default:
      return newProcess("cancel", "cancel.decide", { run });
  }
}

function mayGive(c: Context, h: Head, verdict: Verdict): boolean {
  if (h.gateKind === BUDGET) return verdict === ALLOW || verdict === REJECT;
  if (verdict === ALLOW) return false;
  if (verdict === REBASE) return h.gateKind === CONFLICT;
  if (verdict === APPROVE || verdict === APPROVE_EDITED) return h.gateKind !== CONFLICT;
  if (verdict !== REQUEST_CHANGES) return true;
  return h.revision < (c.scenario.maxRevisions ?? 2) && h.gateKind !== CONFLICT;
}

function startStewards(c: Context, s: State, run: number, h: Head): Start[] {
  const out: Start[] = [];
  const { stewards } = s.left;
  for (const [k, verdicts] of (c.scenario.stewards ?? []).entries()) {
    if (stewards[k] === 0) continue;
    for (const verdict of verdicts.filter((v) => mayGive(c, h, v))) {
      const edits = verdict === APPROVE_EDITED || verdict === REBASE;
      const target = memoAt(s, itemOf(c.scenario, run)).version;
      const editedBase = verdict === APPROVE_EDITED ? h.gateBase : 0;
      const process = newProcess("steward", "steward.read", {
        run,
        mode: verdict,
        ordinal: k,
        revision: h.gateRevision,
        holdSeq: h.holdSeq,
        sha: h.gateSha,
        row: edits ? verdict.toLowerCase() + k : "",
        base: verdict === REBASE ? target : editedBase,
      });
      out.push({ state: leaving(s, { stewards: replaced(stewards, k, 0) }), process });
    }
  }
  return out;
}

function startsOnRun(c: Context, s: State, run: number): Start[] {
  const out: Start[] = [];
  const h = s.heads[run] ?? null;
  const { runners, recovers, chances } = s.left;
  const isGone =
    recovers > 0 && c.rules.gone === "absent-head" && s.lanes.some((lane) => lane.slots.includes(run));
  if (h === null) return isGone ? [startRecover(s, run)] : [];
  // A ticket of another epoch fails at the lease under every rule, so only the current one is delivered.
  if (runners > 0 && s.bells[run]! & (1 << h.epoch)) {
    const process = newProcess("runner", "run.lease", { run, epoch: h.epoch, ordinal: runners });
    out.push({ state: leaving(s, { runners: runners - 1 }), process });
  }
  if (isEnded(h.status)) return isGone ? [...out, startRecover(s, run)] : out;
  const isIdle = h.status === SUSPENDED && h.decision === "" && !h.active && chances.expire === 0;
  if (recovers > 0 && !isIdle) out.push(startRecover(s, run));
  if (chances.cancel > 0) out.push({ state: spend(s, "cancel"), process: cancelOf(c, run) });
  const mayTakeBack = approves(h.decision) && !h.intent && (h.status === SUSPENDED || h.status === RUNNING);
  if (chances.takeback > 0 && mayTakeBack) {
    const process = newProcess("steward", "steward.takeback", { run });
    out.push({ state: spend(s, "takeback"), process });
  }
  if (h.status === SUSPENDED && (h.decision === "" || c.rules.decision === "no-undecided"))
    out.push(...startStewards(c, s, run, h));
  return out;
}

/** Every process that may start now; starting and the first step are one move. */
export function starts(c: Context, s: State): Start[] {
  const out: Start[] = [];
  for (let item = 0; item < s.items.length; item++) out.push(...startsOnItem(c, s, item));
  for (let lane = 0; lane < s.lanes.length; lane++) out.push(...startPass(c, s, lane));
  for (let run = 0; run < s.heads.length; run++) out.push(...startsOnRun(c, s, run));
  return out;
}
