import { proposalAt, proposalKey, shaOf } from "./proposal-rows.ts";
import { generationOf, itemOf, laneOfRun, workOf } from "./scenario.ts";
import {
  CANCELLED,
  DONE,
  FAILED,
  OUTPUT,
  RUNNING,
  SUSPENDED,
  SUSPENDING,
  fault,
  headOf,
  isEnded,
  itemAt,
  laneAt,
  memoAt,
  type Head,
  type Memo,
  type State,
} from "./state.ts";
import type { Context } from "./step.ts";

/** A runner has it and is not yet past the point where only its bytes can land. */
const reallyRuns = (h: Head | null): h is Head => h?.status === RUNNING && h.owned === 1 && !h.intent;

function faultOfLane(c: Context, s: State, lane: number): string | null {
  const limit = c.scenario.lanes[lane]!;
  const { slots } = laneAt(s, lane);
  if (slots.length > limit && c.rules.resumeSlot === "no") return "a lane holds more slots than its limit";
  let live = 0;
  let resumed = 0;
  let isSlotless = false;
  for (let run = 0; run < s.heads.length; run++) {
    const h = s.heads[run] ?? null;
    if (!reallyRuns(h) || laneOfRun(c.scenario, run) !== lane) continue;
    if (h.resumed) resumed++;
    else live++;
    if (!slots.includes(run)) isSlotless = true;
  }
  if (live > limit) return `${live} runs really running on a lane of limit ${limit}`;
  if (live + resumed > limit) c.stats.overLimitByResumed++;
  return isSlotless && c.rules.resumeSlot === "take" ? "a running run holds no slot" : null;
}

function faultOfIndexes(h: Head): string | null {
  const ended = isEnded(h.status);
  if (!ended && !h.active && !h.inbox) return "a run is in no index and not terminal";
  if (ended && (h.active || h.inbox)) return "a terminal run is still listed";
  const waits = h.status === SUSPENDED && h.decision === "";
  return (h.inbox === 1) === waits ? null : "inbox is not exactly the undecided suspended runs";
}

/** Without the token in its key, another writer's body lands under the version that CUR names. */
function faultOfBodies(c: Context, m: Memo): string | null {
  if (c.rules.body !== "version") return null;
  for (const entry of m.rows) {
    const [version, bytes] = entry.split("=");
    const named = m.chain.find((x) => x.endsWith(`@${version}`));
    if (named !== undefined && named !== `${bytes}@${version}`)
      return "a body row that CUR or its history names was overwritten";
  }
  return null;
}

function faultOfLanding(c: Context, h: Head, run: number, landings: number): string | null {
  if (workOf(c.scenario, run).lands === "none") return null;
  if (h.status === DONE && landings !== 1) return "a run is done and its memo did not land";
  if ((h.status === FAILED || h.status === CANCELLED) && landings)
    return `a run ended as ${h.status} although its memo landed`;
  return null;
}

function faultOfItem(c: Context, s: State, h: Head, run: number): string | null {
  const { status, generation } = itemAt(s, itemOf(c.scenario, run));
  const bothEnded = isEnded(h.status) && isEnded(status) && generation === generationOf(c.scenario, run);
  return bothEnded && status !== h.status ? `item ${status}, run ${h.status}` : null;
}

function faultOfGate(c: Context, s: State, h: Head, run: number): string | null {
  if ((h.status !== SUSPENDED && h.status !== SUSPENDING) || h.gateKind !== OUTPUT) return null;
  const row = proposalAt(s, run, proposalKey(c.rules, h.gateRevision, h.gateSha));
  return row !== null && shaOf(row) === h.gateSha ? null : "the proposal row is not the bytes the gate names";
}

function faultOfRun(c: Context, s: State, run: number): string | null {
  const h = headOf(s, run);
  const m = memoAt(s, itemOf(c.scenario, run));
  const own = `r${run}:`;
  let landings = 0;
  for (const version of m.chain) if (version.startsWith(own)) landings++;
  return (
    faultOfIndexes(h) ??
    (landings > 1 ? "a second memo version for one run and step" : null) ??
    faultOfBodies(c, m) ??
    faultOfLanding(c, h, run, landings) ??
    faultOfItem(c, s, h, run) ??
    faultOfGate(c, s, h, run)
  );
}

/** The state, with the first invariant that it breaks. */
export function checked(c: Context, s: State): State {
  if (s.bad) return s;
  for (let lane = 0; lane < s.lanes.length; lane++) {
    const why = faultOfLane(c, s, lane);
    if (why) return fault(s, why);
  }
  for (let run = 0; run < s.heads.length; run++) {
    const why = s.heads[run] === null ? null : faultOfRun(c, s, run);
    if (why) return fault(s, why);
  }
  return s;
}
