import { editedKey, putProposal } from "./proposal-rows.ts";
import {
  ALLOW,
  APPROVE,
  APPROVE_EDITED,
  CANCELLED,
  REBASE,
  REJECT,
  REQUEST_CHANGES,
  SETTLING,
  SUSPENDED,
  endsRun,
  fault,
  headOf,
  isEnded,
  memoAt,
  replaced,
  type Verdict,
} from "./state.ts";
import { putBody, setHead } from "./store-writes.ts";
import { end, go, sameHold, settleAt, verdictOf, wrote, type StepsOf } from "./step.ts";

const VERDICT_NAMES: Record<Verdict, string> = {
  [APPROVE]: "approve",
  [APPROVE_EDITED]: "approve_edited",
  [REQUEST_CHANGES]: "request_changes",
  [REJECT]: "reject",
  [REBASE]: "rebase",
  [ALLOW]: "allow_once",
};

/** Stewards who decide, whoever cancels, and people who write memos themselves. */
export const peopleSteps: StepsOf<"steward" | "cancel" | "person"> = {
  "steward.read"(c, s, p) {
    const rowFirst =
      (p.mode === APPROVE_EDITED && c.rules.editedOrder === "row-decision") || p.mode === REBASE;
    const label = `${VERDICT_NAMES[verdictOf(p)]}: reads hold ${p.holdSeq} of run ${p.run}`;
    return go(label, s, p, rowFirst ? "steward.edit" : "steward.decide");
  },

  "steward.edit"(c, s, p) {
    const key = editedKey(c.rules, p.revision, p.row);
    const n = isEnded(headOf(s, p.run).status) ? s : putProposal(s, p.run, key, `${p.row}@${p.base}`);
    const label = `put edited bytes ${p.row}`;
    return c.rules.editedOrder === "decision-row" ? end(label, n) : go(label, n, p, "steward.decide");
  },

  "steward.decide"(c, s, p) {
    const h = headOf(s, p.run);
    const verdict = verdictOf(p);
    const { decision } = c.rules;
    const ok =
      h.status === SUSPENDED &&
      (sameHold(c, h, p) || decision === "no-hold") &&
      (h.gateSha === p.sha || decision === "no-sha") &&
      (h.decision === "" || decision === "no-undecided");
    if (!ok) {
      const forgotten =
        p.retry &&
        p.hit &&
        c.rules.decisionLog === "overwritten" &&
        h.holdSeq !== p.holdSeq &&
        !isEnded(h.status) &&
        h.status !== SETTLING;
      const why = "a steward whose decision was recorded was told 409";
      return end(`${VERDICT_NAMES[verdict]}: 409`, forgotten ? fault(s, why) : s);
    }
    let n = setHead(s, p.run, {
      decision: verdict,
      inbox: 0,
      active: 1,
      owed: verdict === REQUEST_CHANGES ? 1 : h.owed,
      decidedSha: verdict === APPROVE_EDITED || verdict === REBASE ? p.row : "",
      decidedBase: verdict === REBASE ? p.base : 0,
    });
    if (h.decision !== "") n = fault(n, "a recorded decision was overwritten");
    if (p.retry && p.hit) n = fault(n, "the retry of a decision was recorded a second time");
    if (h.holdSeq !== p.holdSeq) n = fault(n, "a decision was recorded on another hold than the one shown");
    if (h.gateSha !== p.sha) n = fault(n, "a decision was recorded for bytes that were not shown");
    const bytes = p.row ? `${p.sha} -> ${p.row}` : p.sha;
    const label = `decision: ${VERDICT_NAMES[verdict]} (hold ${p.holdSeq}, ${bytes})`;
    if (verdict === APPROVE_EDITED && c.rules.editedOrder === "decision-row")
      return go(label, n, p, "steward.edit");
    return [{ label, state: n, next: null, applied: true }];
  },

  "steward.takeback"(c, s, p) {
    const h = headOf(s, p.run);
    const n = setHead(s, p.run, {
      status: SUSPENDED,
      decision: "",
      decidedSha: "",
      decidedBase: 0,
      owned: 0,
      active: 0,
      inbox: 1,
      holdSeq: c.rules.takeBack === "new-hold" ? h.holdSeq + 1 : h.holdSeq,
      epoch: c.rules.takeBack === "plain" ? h.epoch : h.epoch + 1,
    });
    return end("take back the approval", n);
  },

  "cancel.decide"(c, s, p) {
    const h = headOf(s, p.run);
    const ending =
      isEnded(h.status) || h.status === SETTLING || (h.status === SUSPENDED && endsRun(h.decision));
    if (ending) return end("cancel: nothing to cancel", s);
    if (h.intent && c.rules.cancelIntent === "refuse") return end("cancel: 409, dispatching", s);
    const n = setHead(s, p.run, {
      status: SETTLING,
      outcome: CANCELLED,
      epoch: c.rules.cancel === "decide-plain" ? h.epoch : h.epoch + 1,
      owned: 0,
      active: 1,
      inbox: 0,
    });
    const label = "cancel: head settling (cancelled), epoch moves on";
    return wrote(label, n, p, settleAt(c), { outcome: CANCELLED });
  },

  "cancel.head"(_c, s, p) {
    if (isEnded(headOf(s, p.run).status)) return end("cancel: nothing to cancel", s);
    const n = setHead(s, p.run, { status: CANCELLED, active: 0, inbox: 0 });
    return go("cancel: head cancelled, out of active", n, p, "settle.item", { outcome: CANCELLED });
  },

  "person.edit"(c, s, p) {
    const { version } = memoAt(s, p.item);
    const token = `h${p.ordinal}`;
    const n = putBody(c, s, p.item, version + 1, token, "0");
    const label = `reads version ${version}, puts BODY#${version + 1}`;
    return go(label, n, p, "person.cur", { base: version, row: token });
  },

  "person.cur"(_c, s, p) {
    const m = memoAt(s, p.item);
    if (m.version !== p.base || m.deleted) return end("CUR: 409", s);
    const version = m.version + 1;
    const memo = { ...m, version, chain: [...m.chain, `${p.row}:0@${version}`] };
    const label = `CUR: version ${m.version} -> ${version} by a person`;
    return end(label, { ...s, memos: replaced(s.memos, p.item, memo) });
  },

  "person.delete"(c, s, p) {
    const m = memoAt(s, p.item);
    const memo =
      c.rules.remove === "tombstone"
        ? { ...m, version: m.version + 1, deleted: 1 as const }
        : { ...m, version: 0 };
    return end("a person deletes the memo", { ...s, memos: replaced(s.memos, p.item, memo) });
  },
};
