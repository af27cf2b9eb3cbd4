import { editedKey, proposalAt, proposalKey, shaOf } from "./proposal-rows.ts";
import { itemOf, workOf } from "./scenario.ts";
import {
  APPROVE_EDITED,
  CONFLICT,
  DONE,
  FAILED,
  OUTPUT,
  REBASE,
  SETTLING,
  approves,
  fault,
  headOf,
  isEnded,
  memoAt,
  replaced,
  spend,
  type State,
} from "./state.ts";
import { putBody, setHead } from "./store-writes.ts";
import { end, go, mayWrite, settleAt, wrote, type Outcome, type StepsOf } from "./step.ts";

const LANDED = { outcome: DONE, sha: "", base: 0 } as const;
const NOT_LANDED = { outcome: FAILED, sha: "", base: 0 } as const;

/** From the intent to the memo's version. */
export const dispatchSteps: StepsOf<"dispatch"> = {
  "dispatch.intent"(c, s, p) {
    const h = headOf(s, p.run);
    if (!mayWrite(c, h, p)) {
      return p.retry && h.epoch === p.epoch && h.intent
        ? go("own intent recognised", s, p, "dispatch.body", { sha: h.intentSha, base: h.intentBase })
        : end("intent refused: fenced", s);
    }
    const { held } = workOf(c.scenario, p.run);
    const approved = approves(h.decision);
    if (held && c.rules.intentCond === "decision" && !approved) return end("intent refused: no approval", s);
    const proposed = held ? { sha: h.gateSha, base: h.gateBase } : { sha: p.sha, base: p.base };
    const sha = h.decision === APPROVE_EDITED || h.decision === REBASE ? h.decidedSha : proposed.sha;
    const base = h.decision === REBASE ? h.decidedBase : proposed.base;
    const learned = { sha, base, revision: 0 };
    if (c.rules.intent === "none")
      return go(`dispatch (${sha}, base ${base})`, s, p, "dispatch.body", learned);
    let n = setHead(s, p.run, { intent: 1, intentSha: sha, intentBase: base });
    if (held && !approved) n = fault(n, "intent to dispatch without approve");
    return wrote(`head: dispatch intended (${sha}, base ${base})`, n, p, "dispatch.body", learned);
  },

  "dispatch.body"(c, s, p) {
    const h = headOf(s, p.run);
    const version = p.base + 1;
    const n = putBody(c, s, itemOf(c.scenario, p.run), version, `r${p.run}`, p.sha);
    const label = `put BODY#${version}`;
    if (isEnded(h.status)) return go(label, n, p, "dispatch.cur");
    const key =
      h.decision === APPROVE_EDITED || h.decision === REBASE
        ? editedKey(c.rules, h.gateRevision, p.sha)
        : proposalKey(c.rules, h.gateKind === OUTPUT ? h.gateRevision : h.revision, p.sha);
    const row = h.gateKind === CONFLICT && h.decision === "" ? p.sha : proposalAt(s, p.run, key);
    if (h.intent && h.intentSha === p.sha && (row === null || shaOf(row) !== p.sha)) {
      const what = row === null ? "missing" : "not the bytes of the row";
      return end("read PROPOSAL", fault(s, `the approved bytes are ${what}`));
    }
    return go(label, n, p, "dispatch.cur");
  },

  "dispatch.cur"(c, s, p) {
    const item = itemOf(c.scenario, p.run);
    const m = memoAt(s, item);
    const creates = workOf(c.scenario, p.run).lands === "create" && p.base === 0;
    const base = c.rules.memoCas === "reread" ? m.version : p.base;
    const fits = !m.deleted && (creates ? m.version === 0 : m.version === base && m.version > 0);
    if (!fits) return go("CUR: compare-and-set refused", s, p, "dispatch.look");
    const version = m.version + 1;
    const chain = [...m.chain, `r${p.run}:${p.sha}@${version}`];
    let n: State = { ...s, memos: replaced(s.memos, item, { ...m, version, deleted: 0, chain }) };
    if (m.version !== p.base) n = fault(n, "a person's edit was overwritten");
    if (m.chain.some((x) => x.startsWith(`r${p.run}:`)))
      n = fault(n, "a second memo version for one run and step");
    const h = headOf(s, p.run);
    if (isEnded(h.status) && h.status !== DONE)
      n = fault(n, `the memo landed after the run ended as ${h.status}`);
    if (h.status === SETTLING && h.outcome !== DONE)
      n = fault(n, `the memo landed although the run is settling as ${h.outcome}`);
    const label = `CUR: version ${m.version} -> ${version} by run ${p.run}`;
    const out: Outcome[] = wrote(label, n, p, settleAt(c), LANDED);
    if (s.left.chances.fail > 0 && c.rules.dispatchError === "fail") {
      out.push({
        label: "CUR: the store answers an error",
        state: spend(s, "fail"),
        next: { ...p, at: "settle.outcome", ...NOT_LANDED },
        applied: false,
      });
    }
    return out;
  },

  "dispatch.look"(c, s, p) {
    const { chain } = memoAt(s, itemOf(c.scenario, p.run));
    const own = `r${p.run}:`;
    const mine =
      c.rules.recognise === "chain"
        ? chain.some((x) => x.startsWith(own) && x.endsWith(`@${p.base + 1}`))
        : (chain.at(-1) ?? "").startsWith(own);
    if (mine) return go("CUR: our version is there", s, p, settleAt(c), LANDED);
    if (c.scenario.conflictHold) return go("CUR: lost", s, p, "gate.conflict");
    const next = c.rules.settle === "decide-first" ? "settle.outcome" : settleAt(c);
    return go("CUR: lost", s, p, next, NOT_LANDED);
  },
};
