/** A flag that stands in the key of a state as 0 or 1. */
export type Bit = 0 | 1;

export const DONE = "done";
export const FAILED = "failed";
export const CANCELLED = "cancelled";
export type Ended = typeof DONE | typeof FAILED | typeof CANCELLED;

export const RUNNING = "R";
/** The gate is frozen, the slot is not yet freed. */
export const SUSPENDING = "S";
export const SUSPENDED = "H";
/** The outcome is recorded, item and slot are not yet settled. */
export const SETTLING = "T";
export type HeadStatus = typeof RUNNING | typeof SUSPENDING | typeof SUSPENDED | typeof SETTLING | Ended;

export const ABSENT = "-";
export const PENDING = "P";
export const CLAIMED = "C";
export type ItemStatus = typeof ABSENT | typeof PENDING | typeof CLAIMED | Ended;

export const APPROVE = "A";
export const APPROVE_EDITED = "E";
export const REQUEST_CHANGES = "Q";
export const REJECT = "X";
export const REBASE = "B";
export const ALLOW = "L";
export const EXPIRED = "P";
export type Verdict =
  | typeof APPROVE
  | typeof APPROVE_EDITED
  | typeof REQUEST_CHANGES
  | typeof REJECT
  | typeof REBASE
  | typeof ALLOW;
export type Decision = Verdict | typeof EXPIRED | "";

/** An output waits for a person, a conflict with another writer does, or a step that is over its budget. */
export const OUTPUT = "o";
export const CONFLICT = "c";
export const BUDGET = "b";

export interface Head {
  readonly status: HeadStatus;
  readonly epoch: number;
  readonly owned: Bit;
  readonly step: Bit;
  readonly row: string;
  readonly revision: number;
  readonly holdSeq: number;
  readonly gateRevision: number;
  readonly gateSha: string;
  readonly gateBase: number;
  readonly gateKind: typeof OUTPUT | typeof CONFLICT | typeof BUDGET | "";
  readonly decision: Decision;
  readonly decidedSha: string;
  readonly decidedBase: number;
  readonly intent: Bit;
  readonly intentSha: string;
  readonly intentBase: number;
  readonly outcome: Ended | "";
  readonly recoveries: number;
  readonly active: Bit;
  readonly inbox: Bit;
  readonly resumed: Bit;
  /** Changes were asked for, and no revision has begun that knows it; stored nowhere. */
  readonly owed: Bit;
}

export interface Item {
  readonly status: ItemStatus;
  readonly generation: number;
}

export interface Lane {
  readonly ready: Bit;
  readonly capped: Bit;
  readonly slots: readonly number[];
}

/** `chain` lists the versions that `CUR` ever named as `token:bytes@version`, `rows` the bodies as `key=token:bytes`. */
export interface Memo {
  readonly version: number;
  readonly deleted: Bit;
  readonly chain: readonly string[];
  readonly rows: readonly string[];
}

export type ProcessKind =
  | "enqueue"
  | "rerun"
  | "withdraw"
  | "pass"
  | "runner"
  | "recover"
  | "steward"
  | "cancel"
  | "person";

export type StepName =
  | `enqueue.${"put" | "ready"}`
  | "rerun.put"
  | "withdraw.put"
  | `pass.${"lane" | "query" | "late" | "slot" | "head" | "item" | "mend" | "drop" | "check" | "unslot" | "capped" | "empty"}`
  | `run.${"lease" | "revise" | "process" | "row" | "checkpoint" | "base" | "proposal"}`
  | `gate.${"freeze" | "budget" | "slot" | "ready" | "hold" | "suspend" | "unlist" | "conflict"}`
  | `dispatch.${"intent" | "body" | "cur" | "look"}`
  | `settle.${"outcome" | "item" | "slot" | "ready" | "head"}`
  | `recover.${"read" | "gone" | "claim" | "rebell" | "resume" | "slot" | "bump" | "expire"}`
  | `steward.${"read" | "edit" | "decide" | "takeback"}`
  | `cancel.${"decide" | "head"}`
  | `person.${"edit" | "cur" | "delete"}`;

/** The step a process takes next; `ring` and `stop` end it. */
export type Next = StepName | "ring" | "stop";

/** What a process carries between its steps: its memory, and nothing else, survives from one write to the next. */
export interface Process {
  readonly kind: ProcessKind;
  readonly at: Next;
  readonly run: number;
  readonly item: number;
  readonly generation: number;
  readonly lane: number;
  readonly epoch: number;
  readonly revision: number;
  readonly holdSeq: number;
  readonly sha: string;
  readonly base: number;
  readonly row: string;
  readonly outcome: Ended | "";
  /** For a pass, bit 1: no enqueue since it read the lane; bit 2: no slot added or freed since. For recover, 1: the head is as read. */
  readonly fresh: number;
  /** The runs in `inFlight` that a pass still has to look at. */
  readonly slots: string;
  readonly mode: Verdict | "empty" | "force" | "";
  readonly retry: Bit;
  /** The write whose answer was lost did take effect. */
  readonly hit: Bit;
  /** Tells processes of one kind apart in a trace; no part of the state. */
  readonly ordinal: number;
}

/** What may still happen a bounded number of times. */
export interface Chances {
  readonly cancel: number;
  readonly rerun: number;
  readonly edit: number;
  readonly remove: number;
  readonly lost: number;
  readonly fail: number;
  readonly expire: number;
  readonly takeback: number;
  readonly withdraw: number;
  readonly hop: number;
  readonly budget: number;
  readonly skew: number;
}

export interface Left {
  readonly enqueues: readonly number[];
  readonly passes: number;
  readonly runners: number;
  readonly recovers: number;
  readonly stewards: readonly number[];
  readonly chances: Chances;
}

export interface State {
  readonly items: readonly Item[];
  /** Pending items, oldest pendingAt first. */
  readonly order: readonly number[];
  readonly lanes: readonly Lane[];
  readonly heads: readonly (Head | null)[];
  readonly rows: readonly (readonly string[])[];
  readonly proposals: readonly (readonly string[])[];
  readonly memos: readonly Memo[];
  /** The epochs rung for each run, as bits. */
  readonly bells: readonly number[];
  readonly procs: readonly Process[];
  readonly left: Left;
  readonly bad: string | null;
}

/** A new head as P2 puts it: running, epoch 0, nobody's. */
export const newHead = (): Head => ({
  status: RUNNING,
  epoch: 0,
  owned: 0,
  step: 0,
  row: "",
  revision: 1,
  holdSeq: 0,
  gateRevision: 0,
  gateSha: "",
  gateBase: 0,
  gateKind: "",
  decision: "",
  decidedSha: "",
  decidedBase: 0,
  intent: 0,
  intentSha: "",
  intentBase: 0,
  outcome: "",
  recoveries: 0,
  active: 1,
  inbox: 0,
  resumed: 0,
  owed: 0,
});

/** What is forgotten of a terminal head, so that states which differ in it alone are one. */
export const CLEARED = {
  owned: 0,
  step: 0,
  row: "",
  holdSeq: 0,
  gateRevision: 0,
  gateSha: "",
  gateBase: 0,
  gateKind: "",
  decision: "",
  decidedSha: "",
  decidedBase: 0,
  intent: 0,
  intentSha: "",
  intentBase: 0,
  outcome: "",
  recoveries: 0,
  resumed: 0,
  owed: 0,
} as const satisfies Partial<Head>;

/** A process about to take its first step. */
export const newProcess = (kind: ProcessKind, at: StepName, known: Partial<Process>): Process => ({
  kind,
  at,
  run: -1,
  item: -1,
  generation: 0,
  lane: -1,
  epoch: -1,
  revision: 0,
  holdSeq: 0,
  sha: "",
  base: 0,
  row: "",
  outcome: "",
  fresh: 0,
  slots: "",
  mode: "",
  retry: 0,
  hit: 0,
  ordinal: 0,
  ...known,
});

export const isEnded = (status: HeadStatus | ItemStatus): status is Ended =>
  status === DONE || status === FAILED || status === CANCELLED;

/** A decision after which the run goes on. */
export const runsOn = (decision: Decision): boolean =>
  approves(decision) || decision === REQUEST_CHANGES || decision === ALLOW;

/** A decision after which the run ends. */
export const endsRun = (decision: Decision): boolean => decision === REJECT || decision === EXPIRED;

/** A decision after which these bytes may land. */
export const approves = (decision: Decision): boolean =>
  decision === APPROVE || decision === APPROVE_EDITED || decision === REBASE;

export const itemAt = (s: State, item: number): Item => s.items[item]!;
export const laneAt = (s: State, lane: number): Lane => s.lanes[lane]!;
export const memoAt = (s: State, item: number): Memo => s.memos[item]!;
/** The head of a run that exists. */
export const headOf = (s: State, run: number): Head => s.heads[run]!;

/** A copy of the list with one element replaced. */
export function replaced<T>(list: readonly T[], at: number, value: T): T[] {
  const copy = list.slice();
  copy[at] = value;
  return copy;
}

/** The state with its first fault named; later ones do not replace it. */
export const fault = (s: State, why: string): State => (s.bad ? s : { ...s, bad: why });

/** The state in which one of these chances is used up. */
export const spend = (s: State, chance: keyof Chances): State => ({
  ...s,
  left: { ...s.left, chances: { ...s.left.chances, [chance]: s.left.chances[chance] - 1 } },
});
