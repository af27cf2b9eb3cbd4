import type { StoredError } from "../core/errors.ts";
import type { Id } from "../core/ids.ts";
import type { Requester } from "../core/principal.ts";
import { laneKey, type LaneKey } from "../core/keys.ts";
import type { SettledStatus } from "../queue/item.ts";
import type { Sha256 } from "../core/bytes.ts";
import type { Spent } from "./spent.ts";

/**
 * `suspending`: the gate is frozen and the lane slot not yet free. `settling`: the outcome is recorded, item and
 * slot not yet settled. People are shown both as running.
 */
export type RunStatus = "running" | "suspending" | "suspended" | "settling" | SettledStatus;

/** Which status may follow which. A suspended run that was rejected ends without running again. */
export const NEXT_RUN = {
  running: ["running", "suspending", "settling", "done"],
  suspending: ["suspended", "settling"],
  suspended: ["running", "settling", "cancelled"],
  settling: ["done", "failed", "cancelled"],
  done: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<RunStatus, readonly RunStatus[]>;

/**
 * Why a run waits. output: its proposal has never been decided. conflict: somebody changed the target before the
 * approved bytes landed. budget: a step could not be asked within a limit.
 */
export type GateKind = "output" | "conflict" | "budget";

/** What a person may say of each kind of hold. */
export const VERDICTS_OF = {
  output: ["approve", "approve_edited", "request_changes", "reject"],
  conflict: ["rebase", "replace", "keep_both", "reject"],
  budget: ["allow_once", "cancel"],
} as const satisfies Record<GateKind, readonly string[]>;

/** What a person said; `expire` is said by the system. */
export type Verdict = (typeof VERDICTS_OF)[GateKind][number] | "expire";

/** Verdicts after which bytes may land, those after which the run goes on in any way, and those that end it. */
export const LANDS = [
  "approve",
  "approve_edited",
  "rebase",
  "replace",
  "keep_both",
] as const satisfies readonly Verdict[];
export const RUNS_ON = [...LANDS, "request_changes", "allow_once"] as const satisfies readonly Verdict[];
export const ENDS = ["reject", "cancel", "expire"] as const satisfies readonly Verdict[];

export type Decision = {
  decisionId: string;
  verdict: Verdict;
  /** The bytes that were decided on, where they are others than those the hold showed. */
  lands?: Sha256;
  /** The decider's principal, or `system`. */
  by: string;
  username: string;
  at: number;
  /** Whether a reason stands in a row of its own. */
  hasReason?: boolean;
  /** A digest of all that was said: the same id with anything else is another decision. The system has none. */
  said?: string;
};

/** What waits for a person: a frozen proposal, or the question whether a limit may be passed once. */
export type Gate = {
  kind: GateKind;
  holdId: Id<"hold">;
  stepId: string;
  revision: number;
  /** Of the proposal, or of the question: a decision names it, and so names exactly what was shown. */
  sha256: Sha256;
  openedAt: number;
  expiresAt: number;
  /** Who may decide, where the policy says more than `owner`: `other`, or user ids. */
  reviewers?: readonly string[];
  decision?: Decision;
};

/** Recorded before the destination is touched: from here on the run can only land these bytes. */
export type Intent = { stepId: string; revision: number; sha256: Sha256 };

export type LandingRecord = { memoId: string; contentVersion: number };

type RunBase = {
  runId: Id<"run">;
  ownerUid: string;
  workflowId: string;
  itemKey: string;
  generation: number;
  requestedBy: Requester;
  sessionId?: string;
  createdAt: number;
  /** Goes up with every lease and every recovery; each write of a runner states it. */
  epoch: number;
  leaseOwner?: string;
  heartbeatAt: number;
  /** Index of the next step to run. */
  step: number;
  /** For each finished step the row that holds its output, as revision and epoch: `R1E2`; empty for pure steps. */
  rows: readonly string[];
  revision: number;
  /** Which hold's decision asked for this revision, as the n-th of the run: the head has no room for its id. */
  revises?: number;
  /** How many holds this run has opened. */
  holdSeq: number;
  gate?: Gate;
  /** When an open hold is due: for a reminder, or to expire. */
  nextDeadlineAt?: number;
  intent?: Intent;
  /** What a staged run would have written. */
  staged?: Intent;
  recoveries: number;
  /** How often a runner let go to be continued later. */
  hops: number;
  /** Failed tries of the step that is next. */
  tries: number;
  /** What the calls of the steps that are done have used, in all revisions; absent when there were none. */
  spent?: Spent;
  /** What the calls of a step used that the run was stopped at. */
  unfinished?: Spent;
};

/** One execution of an item, as its HEAD row has it. */
export type Run = RunBase &
  (
    | { status: "running" }
    | { status: "suspending"; gate: Gate }
    | { status: "suspended"; gate: Gate }
    | { status: "settling"; outcome: SettledStatus; error?: StoredError }
    | { status: SettledStatus; settledAt: number; error?: StoredError; landing?: LandingRecord }
  );
export type RunIn<S extends RunStatus> = Extract<Run, { status: S }>;

export const laneOf = (run: Pick<Run, "ownerUid" | "workflowId">): LaneKey =>
  laneKey(run.ownerUid, run.workflowId);

export const isTerminal = (run: Run): run is RunIn<SettledStatus> =>
  run.status === "done" || run.status === "failed" || run.status === "cancelled";

/** Whether a decision was recorded after which the run ends without another step. */
export const isRefused = (run: Run): boolean =>
  run.status === "suspended" && ENDS.some((verdict) => verdict === run.gate.decision?.verdict);

/** Whether a decision was recorded after which bytes may land. */
export const isApproved = ({ gate }: Run): boolean =>
  LANDS.some((verdict) => verdict === gate?.decision?.verdict);

/** Whether a decision was recorded after which the run goes on. */
export const isReleased = (run: Run): boolean =>
  run.status === "suspended" && RUNS_ON.some((verdict) => verdict === run.gate.decision?.verdict);

/** The n-th hold of a run. A later hold of the same run has another id, so that no decision can slip onto it. */
export const holdIdOf = (runId: string, n: number): Id<"hold"> => `hold_${runId.replace(/^run_/, "")}-h${n}`;

/** Which hold of its run an id names. */
export const nthHold = (holdId: string): number => Number(/-h(\d+)$/.exec(holdId)?.[1]);

/** The run that a hold id names; undefined when it is none of ours. */
export function runOfHold(holdId: string): Id<"run"> | undefined {
  const match = /^hold_([0-9a-f]{20}-[0-9a-f]{24}-[1-9]\d{0,8})-h[1-9]\d{0,3}$/.exec(holdId);
  return match ? `run_${match[1]}` : undefined;
}

/** The one memo that a run's step can create. */
export const writeTokenOf = (runId: string, stepId: string): string => `${runId}#${stepId}`;
