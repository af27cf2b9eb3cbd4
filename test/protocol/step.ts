import type { Rules } from "./rules.ts";
import type { Scenario } from "./scenario.ts";
import {
  RUNNING,
  isEnded,
  type Ended,
  type Head,
  type Next,
  type Process,
  type State,
  type StepName,
  type Verdict,
} from "./state.ts";

/** What an exploration carries along: its scenario, its rules, and what it counts. */
export interface Context {
  readonly scenario: Scenario;
  readonly rules: Rules;
  readonly stats: { calls: number; zombieCalls: number; overLimitByResumed: number };
  readonly claimOrder: readonly StepName[];
  readonly settleOrder: readonly StepName[];
  /** Where the repairs say what they do. */
  readonly log?: string[];
}

/** One way a step may go; `applied` marks a write whose answer can be lost. */
export interface Outcome {
  readonly label: string;
  readonly state: State;
  readonly next: Process | null;
  readonly applied: boolean;
}

/** One atomic read or write of a process; the state it is given no longer holds the process. */
export type Step = (c: Context, s: State, p: Process) => Outcome[];

/** The steps of these families, each of them and no other. */
export type StepsOf<Family extends string> = Record<Extract<StepName, `${Family}.${string}`>, Step>;

/** The process ends. */
export const end = (label: string, state: State): Outcome[] => [{ label, state, next: null, applied: false }];

/** The process goes on at another step. */
export const go = (
  label: string,
  state: State,
  p: Process,
  at: Next,
  learned: Partial<Process> = {},
  applied = false,
): Outcome[] => [{ label, state, next: { ...p, at, retry: 0, ...learned }, applied }];

/** The process wrote, and its answer may be lost. */
export const wrote = (
  label: string,
  state: State,
  p: Process,
  at: Next,
  learned: Partial<Process> = {},
): Outcome[] => go(label, state, p, at, learned, true);

/** A fresh context for one exploration. */
export const contextOf = (scenario: Scenario, rules: Rules): Context => ({
  scenario,
  rules,
  stats: { calls: 0, zombieCalls: 0, overLimitByResumed: 0 },
  claimOrder: rules.claimOrder.split("-").map((part) => `pass.${part}` as StepName),
  settleOrder: rules.settleOrder.split("-").map((part) => `settle.${part}` as StepName),
});

/** The write of a claim that follows this one, at last the doorbell. */
export const afterClaim = (c: Context, here: StepName): Next =>
  c.claimOrder[c.claimOrder.indexOf(here) + 1] ?? "ring";

/** The first write of settling. */
export const settleAt = (c: Context): StepName => c.settleOrder[0]!;

/** The fence of a runner's own writes. */
export const mayWrite = (c: Context, h: Head, p: Process): boolean =>
  h.epoch === p.epoch &&
  (c.rules.fenced === "epoch" ? !isEnded(h.status) : h.status === RUNNING && h.owned === 1);

/** Is the hold of the head the one that the process has read? */
export const sameHold = (c: Context, h: Head, p: Process): boolean =>
  c.rules.holdId === "sequence" ? h.holdSeq === p.holdSeq : h.gateRevision === p.revision;

/** The outcome that a settling process carries. */
export const outcomeOf = (p: Process): Ended => p.outcome as Ended;

/** The verdict that a steward's process carries. */
export const verdictOf = (p: Process): Verdict => p.mode as Verdict;
