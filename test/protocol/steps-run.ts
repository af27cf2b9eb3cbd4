import { itemOf, workOf } from "./scenario.ts";
import { proposalAt, proposalKey, putProposal } from "./proposal-rows.ts";
import {
  ALLOW,
  CANCELLED,
  DONE,
  FAILED,
  REQUEST_CHANGES,
  RUNNING,
  SETTLING,
  SUSPENDED,
  approves,
  endsRun,
  fault,
  headOf,
  isEnded,
  memoAt,
  replaced,
  runsOn,
  spend,
  type Head,
  type Process,
  type State,
  type StepName,
} from "./state.ts";
import { setHead } from "./store-writes.ts";
import { end, go, mayWrite, settleAt, wrote, type Context, type Outcome, type StepsOf } from "./step.ts";

const FREEZE_AT: Record<Context["rules"]["suspend"], StepName> = {
  "mark-slot-head": "gate.freeze",
  "slot-head": "gate.slot",
  "head-slot": "gate.suspend",
  "head-slot-unlist": "gate.suspend",
};

/** Where a runner goes after its lease, from the head it got back. */
function route(c: Context, s: State, p: Process, label: string): Outcome[] {
  const h = headOf(s, p.run);
  if (isEnded(h.status) || h.status === SETTLING) return end(label, s);
  if (endsRun(h.decision)) return go(label, s, p, settleAt(c), { outcome: CANCELLED });
  if (h.intent) return go(label, s, p, "dispatch.body", { sha: h.intentSha, base: h.intentBase });
  if (approves(h.decision)) return go(label, s, p, "dispatch.intent");
  if (workOf(c.scenario, p.run).lands === "none") {
    const next = c.rules.settle === "decide-first" ? "settle.outcome" : settleAt(c);
    return go(label, s, p, next, { outcome: DONE });
  }
  if (h.decision === REQUEST_CHANGES && h.gateRevision === h.revision) {
    const next = c.rules.revise === "first" ? "run.revise" : "run.process";
    return go(label, s, p, next, { revision: h.revision + 1 });
  }
  if (h.step === 1) return go(label, s, p, "run.base", { revision: h.revision, row: h.row });
  return go(label, s, p, "run.process", { revision: h.revision });
}

/** A person let this step pass its budget. */
const isAllowed = (h: Head, p: Process): boolean => h.decision === ALLOW && h.gateRevision === p.revision;

/** No row of this step: the model is called, and may fail for good. */
function callModel(c: Context, s: State, p: Process): Outcome[] {
  const h = headOf(s, p.run);
  const current = h.epoch === p.epoch && h.status === RUNNING;
  const revises = h.decision === REQUEST_CHANGES && p.revision === h.gateRevision + 1;
  c.stats.calls++;
  if (!current) c.stats.zombieCalls++;
  const n =
    current && h.decision !== "" && !revises && !isAllowed(h, p)
      ? fault(s, "a model call after a decision")
      : s;
  const out: Outcome[] = [
    {
      label: `model call (revision ${p.revision}, epoch ${p.epoch})`,
      state: n,
      next: { ...p, at: "run.row" },
      applied: false,
    },
  ];
  if (s.left.chances.fail > 0) {
    const at = c.rules.settle === "decide-first" ? "settle.outcome" : settleAt(c);
    out.push({
      label: `model call fails for good (epoch ${p.epoch})`,
      state: spend(n, "fail"),
      next: { ...p, at, outcome: FAILED, revision: 0 },
      applied: false,
    });
  }
  return out;
}

/** A runner from its lease to its proposal. */
export const runSteps: StepsOf<"run"> = {
  "run.lease"(c, s, p) {
    const h = headOf(s, p.run);
    const open =
      c.rules.lease === "epoch" || h.status === RUNNING || (h.status === SUSPENDED && runsOn(h.decision));
    if (h.epoch !== p.epoch || !open) {
      if (p.retry && p.hit && h.epoch === p.epoch + 1 && h.owned) {
        const own: Process = { ...p, epoch: h.epoch, hit: 0, retry: 0 };
        return route(c, s, own, "answer was lost, own lease recognised");
      }
      return end("lease refused", s);
    }
    const resumed = h.status === SUSPENDED;
    let n = setHead(s, p.run, {
      status: RUNNING,
      epoch: h.epoch + 1,
      owned: 1,
      active: 1,
      inbox: 0,
      resumed: resumed ? 1 : h.resumed,
    });
    if (resumed && h.decision === "") n = fault(n, "an undecided hold was resumed");
    const label = `lease run ${p.run}: epoch ${p.epoch} -> ${p.epoch + 1}`;
    const out = route(c, n, { ...p, epoch: h.epoch + 1, retry: 0 }, label);
    if (s.left.chances.lost > 0 && !p.retry) {
      out.push({
        label: `${label} (answer lost)`,
        state: spend(n, "lost"),
        next: { ...p, retry: 1, hit: 1 },
        applied: false,
      });
    }
    return out;
  },

  "run.revise"(c, s, p) {
    const h = headOf(s, p.run);
    if (!mayWrite(c, h, p) || h.revision !== p.revision - 1 || h.decision !== REQUEST_CHANGES) {
      return p.retry && h.epoch === p.epoch && h.status === RUNNING && h.revision === p.revision
        ? go("own revision recognised", s, p, "run.process")
        : end("revision refused: fenced", s);
    }
    const n = setHead(s, p.run, { revision: p.revision, step: 0, row: "", owed: 0 });
    return wrote(`head: revision ${p.revision} begins`, n, p, "run.process");
  },

  "run.process"(c, s, p) {
    const h = headOf(s, p.run);
    const out: Outcome[] = [];
    if (s.left.chances.hop > 0 && h.epoch === p.epoch && h.status === RUNNING && h.owned) {
      out.push({
        label: "time is short: release",
        state: setHead(spend(s, "hop"), p.run, { owned: 0 }),
        next: { ...p, at: "ring" },
        applied: false,
      });
    }
    const ofRevision = `${p.revision}.`;
    const row =
      c.rules.reuse === "yes"
        ? s.rows[p.run]!.find((x) => c.rules.stepKey === "step" || x.startsWith(ofRevision))
        : undefined;
    if (row === undefined) {
      const isSpent = s.left.chances.budget > 0 && !isAllowed(h, p);
      const next = spend(s, "budget");
      return [
        ...out,
        ...callModel(c, s, p),
        ...(isSpent ? go("the budget is spent", next, p, "gate.budget") : []),
      ];
    }
    if (!row.startsWith(ofRevision)) {
      const why = "changes were asked for and the old step output was used again";
      return end("step row found", fault(s, why));
    }
    return [...out, ...go(`step row ${row} found: no model call`, s, p, "run.checkpoint", { row })];
  },

  "run.row"(_c, s, p) {
    const row = `${p.revision}.${p.epoch}`;
    const rows = s.rows[p.run]!;
    const n =
      rows.includes(row) || isEnded(headOf(s, p.run).status)
        ? s
        : { ...s, rows: replaced(s.rows, p.run, [...rows, row].sort()) };
    return go(`put STEP row ${row}`, n, p, "run.checkpoint", { row });
  },

  "run.checkpoint"(c, s, p) {
    const h = headOf(s, p.run);
    if (!mayWrite(c, h, p)) {
      return p.retry && h.epoch === p.epoch && h.status === RUNNING
        ? go("own checkpoint recognised", s, p, "run.base")
        : end("checkpoint refused: fenced", s);
    }
    const owed = p.revision > h.revision ? 0 : h.owed;
    const n = setHead(s, p.run, { step: 1, row: p.row, revision: p.revision, owed });
    return wrote(`checkpoint: head names row ${p.row}`, n, p, "run.base");
  },

  "run.base"(c, s, p) {
    const row =
      c.rules.stepRow === "pointer" ? p.row : s.rows[p.run]!.find((x) => x.startsWith(`${p.revision}.`));
    const { version } = memoAt(s, itemOf(c.scenario, p.run));
    const sha = c.scenario.sameBytes ? "m1.1" : `m${row}${version > 1 ? `b${version}` : ""}`;
    const label = `read target: contentVersion ${version}`;
    return go(label, s, p, "run.proposal", { sha, base: version, row: "" });
  },

  "run.proposal"(c, s, p) {
    const key = proposalKey(c.rules, p.revision, p.sha);
    const old = proposalAt(s, p.run, key);
    const next = workOf(c.scenario, p.run).held ? FREEZE_AT[c.rules.suspend] : "dispatch.intent";
    if (isEnded(headOf(s, p.run).status)) return end("proposal put after the end: never read", s);
    if (old !== null && c.rules.prop === "absent-own") return go("proposal row exists", s, p, next);
    if (old !== null && c.rules.prop !== "overwrite") {
      const [sha = "", base] = old.split("@");
      return go("proposal row exists: adopt it", s, p, next, { sha, base: Number(base) });
    }
    const n = putProposal(s, p.run, key, `${p.sha}@${p.base}`);
    return go(`put PROPOSAL ${key} = ${p.sha}, base ${p.base}`, n, p, next);
  },
};
