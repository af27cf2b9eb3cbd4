import type { Chances, Head, Process, State } from "./state.ts";

/** All of a process that its future depends on. */
export const processKey = (p: Process): string =>
  `${p.kind}${p.at},${p.run},${p.item},${p.generation},${p.lane},${p.epoch},${p.revision},${p.holdSeq},${p.sha},` +
  `${p.base},${p.row},${p.outcome},${p.fresh},${p.slots},${p.mode},${p.retry}${p.hit}`;

/** All of a head. */
export const headKey = (h: Head | null): string =>
  h === null
    ? "-"
    : `${h.status}${h.epoch}${h.owned}${h.step}.${h.row}.${h.revision}.${h.holdSeq}.${h.gateRevision}${h.gateSha}.` +
      `${h.gateBase}${h.gateKind}${h.decision}${h.decidedSha}.${h.decidedBase}${h.intent}${h.intentSha}.` +
      `${h.intentBase}${h.outcome}${h.recoveries}${h.active}${h.inbox}${h.resumed}${h.owed}`;

/** All that is stored: what is left when every process has stopped and every doorbell is lost. */
export function storeKey(s: State): string {
  let key = "";
  for (const item of s.items) key += item.status + item.generation;
  key += `|${s.order.join()}|`;
  for (const lane of s.lanes) key += lane.ready + (lane.capped ? "c:" : ":") + lane.slots.join() + ";";
  for (let run = 0; run < s.heads.length; run++) {
    key += headKey(s.heads[run]!) + "/" + s.rows[run]!.join() + "/" + s.proposals[run]!.join() + ";";
  }
  for (const memo of s.memos) {
    key += memo.version + (memo.deleted ? "x" : "") + memo.chain.join() + "/" + memo.rows.join() + ";";
  }
  return key;
}

const chancesKey = (c: Chances): string =>
  `${c.cancel},${c.rerun},${c.edit},${c.remove},${c.lost},${c.fail},${c.expire},${c.takeback},${c.withdraw},` +
  `${c.hop},${c.budget},${c.skew}`;

/** Two states with one key have the same future. */
export function stateKey(s: State): string {
  const { enqueues, passes, runners, recovers, stewards, chances } = s.left;
  return (
    `${storeKey(s)}${s.bells.join()}|${s.procs.map(processKey).sort().join(";")}|` +
    `${enqueues.join()}.${passes}.${runners}.${recovers}.${stewards.join("")}.${chancesKey(chances)}`
  );
}

/** The part of a state that the repairs start from. */
export const crashKey = (s: State): string =>
  storeKey(s) +
  s.procs
    .filter((p) => p.kind === "enqueue" || p.kind === "rerun")
    .map((p) => p.kind + p.item + p.generation)
    .sort()
    .join();
