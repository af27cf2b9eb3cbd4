import { checked } from "./invariants.ts";
import { processKey } from "./keys.ts";
import { spend, type Next, type Process, type State, type StepName } from "./state.ts";
import { starts } from "./starts.ts";
import { dispatchSteps } from "./steps-dispatch.ts";
import { enqueueSteps } from "./steps-enqueue.ts";
import { gateSteps } from "./steps-gate.ts";
import { passSteps } from "./steps-pass.ts";
import { peopleSteps } from "./steps-people.ts";
import { recoverSteps } from "./steps-recover.ts";
import { runSteps } from "./steps-run.ts";
import { settleSteps } from "./steps-settle.ts";
import { ring } from "./store-writes.ts";
import type { Context, Outcome, Step } from "./step.ts";

const STEPS: Record<StepName, Step> = {
  ...enqueueSteps,
  ...passSteps,
  ...runSteps,
  ...gateSteps,
  ...dispatchSteps,
  ...settleSteps,
  ...recoverSteps,
  ...peopleSteps,
};

/** One step of one process, or of one that starts with it. */
export interface Move {
  readonly label: string;
  readonly state: State;
}

/** The process by its role, as a trace names it. */
export const roleOf = (p: Process): string =>
  p.kind === "runner"
    ? `runner(run ${p.run}, epoch ${p.at === "run.lease" ? p.epoch + 1 : p.epoch})`
    : `${p.kind}${p.ordinal ? `#${p.ordinal}` : ""}`;

const isStep = (at: Next): at is StepName => at !== "ring" && at !== "stop";

/** The epoch that the doorbell names: a pass rings for a new run. */
export const ticketOf = (p: Process): number => (p.kind === "pass" ? 0 : p.epoch);

/** What a process does next. */
export const stepOf = (c: Context, s: State, p: Process): Outcome[] => STEPS[p.at as StepName](c, s, p);

/** The process after a step, or null when it has ended. */
export const stillGoing = (next: Process | null): Process | null =>
  next !== null && isStep(next.at) ? next : null;

/**
 * The state after a step. Ringing has no step of its own: a crash before it is a doorbell that never arrives, and a
 * late ring is one that arrives late.
 */
export const rung = (s: State, next: Process | null): State =>
  next?.at === "ring" ? ring(s, next.run, ticketOf(next)) : s;

const joined = (s: State, p: Process | null): State => (p ? { ...s, procs: [...s.procs, p] } : s);

function movesOf(c: Context, base: State, p: Process): Move[] {
  const out: Move[] = [];
  for (const { label, state, next, applied } of stepOf(c, base, p)) {
    const name = `${roleOf(p)}: ${label}`;
    const bell = next?.at === "ring" ? `, ring {run ${next.run}, epoch ${ticketOf(next)}}` : "";
    out.push({ label: name + bell, state: checked(c, joined(rung(state, next), stillGoing(next))) });
    if (applied && state.left.chances.lost > 0 && !p.retry && p.at !== "run.lease") {
      const again: Process = { ...p, retry: 1, hit: 1 };
      const lost = checked(c, joined(spend(state, "lost"), again));
      out.push({ label: `${name} (answer lost)`, state: lost });
    }
  }
  return out;
}

/** Every next state, in a fixed order. */
export function successors(c: Context, s: State): Move[] {
  const out: Move[] = [];
  const seen = new Set<string>();
  for (const [at, p] of s.procs.entries()) {
    const key = processKey(p);
    if (seen.has(key)) continue;
    seen.add(key);
    out.push(...movesOf(c, { ...s, procs: s.procs.filter((_, other) => other !== at) }, p));
  }
  for (const { state, process } of starts(c, s)) out.push(...movesOf(c, state, process));
  return out;
}
