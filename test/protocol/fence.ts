import { laneOfRun } from "./scenario.ts";
import { SETTLING, fault, headOf, isEnded, laneAt, type Process, type State } from "./state.ts";
import type { Context } from "./step.ts";

/** The state with a fault, if a runner of an older epoch is about to write what its head has not determined. */
export function fence(c: Context, s: State, p: Process, what: "item" | "slot"): State {
  const h = headOf(s, p.run);
  if (p.kind !== "runner" || h.epoch === p.epoch) return s;
  const takesEffect = what === "item" || laneAt(s, laneOfRun(c.scenario, p.run)).slots.includes(p.run);
  const determined =
    isEnded(h.status) ||
    h.status === SETTLING ||
    h.intent === 1 ||
    (what === "slot" && h.gateRevision >= p.revision && p.revision > 0);
  return takesEffect && !determined ? fault(s, `an older epoch's ${what} write took effect`) : s;
}
