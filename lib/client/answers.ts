import type { PassReport } from "../core/pass-report.ts";

/** What the routes answer, as far as a client shows it; `--json` prints the answers themselves, whole. */

export type Page<T> = { items: T[]; nextCursor: string | null };

/** `application/problem+json`. */
export type Problem = {
  status: number;
  code: string;
  detail: string;
  hint?: string;
  failing?: { pointer: string; message: string }[];
};

export type Position = { line: number; column: number; offset: number };
export type Range = { start: Position; end: Position };
export type ShownDiagnostic = {
  code: `MW${string}`;
  severity: "error" | "warning" | "info";
  message: string;
  hint?: string;
  range: Range;
};

export type ShownInput = { name: string; type: string; required: boolean; description: string };
export type ShownWorkflow = {
  workflowId: string;
  title: string;
  command: string | null;
  status: string | null;
  summary: string | null;
  inputs: ShownInput[];
  compiles: boolean;
  waits: string | null;
  diagnostics: ShownDiagnostic[];
};

export type Enqueued = {
  enqueued: boolean;
  reason: string | null;
  itemId: string;
  runId: string;
  status: string;
  why: string | null;
  dedupeKey: string;
};

export type ShownItem = {
  itemId: string;
  workflowId: string;
  dedupeKey: string;
  status: string;
  runId: string;
  enqueuedAt: number;
};

type Requester = { principalId: string; username: string };

export type ShownRun = {
  runId: string;
  workflowId: string;
  status: string;
  requestedBy: Requester;
  createdAt: number;
  settledAt: number | null;
  holdId: string | null;
  /** What the hold is about: an output, a conflict or a budget. */
  holdKind: string | null;
  landing: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
};

export type ShownStep = { id: string; kind: string; status: string; tokens: number; ms: number | null };
export type ShownLoad = {
  class: string;
  ref: string;
  loaded: boolean;
  reason: string;
  title?: string;
  contentVersion?: number;
  tokens?: number;
  score?: number;
};
export type ShownRunRecord = ShownRun & {
  steps: ShownStep[];
  loads: ShownLoad[];
  tokens: number;
  costMicroUsd: number | null;
  manifest: { title: string; trigger: { command: string } } | null;
};

/** What a request to do ended work again has made, or an earlier one had. */
export type Rerun = {
  itemId: string;
  runId: string;
  generation: number;
  status: string;
  forkOf: { runId: string; step: string } | null;
  repeated: boolean;
};

export type LoggedStep = ShownStep & {
  startedAt?: number | null;
  keptFrom?: string;
  loads?: ShownLoad[];
  attempts?: { model: string; stop: string; ms: number; failing: { pointer: string; message: string }[] }[];
  tools?: { name: string; outcome: string; ms: number }[];
  failed?: { code: string | null; tokens: number }[];
};
export type RunLog = Omit<ShownRunRecord, "steps"> & {
  itemId: string;
  recoveries: number;
  hops: number;
  forkOf: Rerun["forkOf"];
  steps: LoggedStep[];
  hold: {
    holdId: string;
    revision: number;
    sha256: string;
    openedAt: number;
    decision: { verdict: string; username: string; at: number; reason: string | null } | null;
  } | null;
};

export type DeadLetters = {
  queue: string;
  count: number;
  messages: {
    messageId: string;
    runId: string | null;
    epoch: number | null;
    receivedCount: number;
    ageMs: number;
    unreadable?: { bytes: number; digest: string };
  }[];
};
export type Redriven = { queue: string; redriven: number; failed: number; left: number };

export type Target = { kind: "create" } | { kind: "update"; memoId: string; base: number };
export type Guard = { guard: string; passed: boolean; message: string };
export type ShownProposal = {
  sha256: string;
  revision: number;
  destination: string;
  target: Target;
  zone: "body" | "notes";
  title: string;
  text: string;
  tags: { body: readonly string[]; notes: readonly string[] };
  guards: readonly Guard[];
};
export type HoldSummary = {
  holdId: string;
  kind: string;
  revision: number;
  runId: string;
  workflowId: string;
  sha256: string;
  title: string | null;
  target: Target | null;
  size: { words: number; added: number; removed: number } | null;
  requestedBy: Requester;
  openedAt: number;
  expiresAt: number | null;
  snoozedUntil: number | null;
};
export type Snoozed = { holdId: string; snoozedUntil: number | null; expiresAt: number };
export type Rejected = { holdId: string; outcome: string; detail?: string };
export type ShownHold = {
  holdId: string;
  sha256: string;
  openedAt: number;
  expiresAt: number | null;
  open: boolean;
  run: ShownRun;
  workflow: { title: string; command: string | null } | null;
  loads: ShownLoad[];
  kind: string;
  decision: ShownDecision | null;
  takenBack: boolean;
  /** What may be said of it now. */
  verdicts: readonly string[];
  revisionsLeft: number;
  /** The hold whose decision asked for this draft. */
  revises: string | null;
  proposal: ShownProposal | null;
  /** The bytes that were decided on, where they are others than those shown. */
  edited: ShownProposal | null;
  question: ShownQuestion | null;
  conflict: ShownConflict | null;
  targetChanged: boolean | null;
  /** Every hold of the run, oldest first. */
  holds: {
    holdId: string;
    kind: string;
    revision: number;
    decision: ShownDecision | null;
    takenBack: boolean;
  }[];
};
export type ShownDecision = {
  decisionId: string;
  verdict: string;
  username: string;
  at: number;
  reason: string | null;
};
/** What a budget hold asks; amounts are tokens or millionths of a dollar, null where there is no price. */
export type ShownQuestion = {
  of: string;
  unit: "tokens" | "microUsd";
  limit: number;
  spent: number | null;
  estimate: number | null;
  stepId: string;
  message: string;
};
/** A landing that lost. */
export type ShownConflict = {
  code: string;
  memoId: string;
  expected: number | null;
  actual: number | null;
  current: number | null;
  base: { contentVersion: number; text: string | null } | null;
  theirs: { contentVersion: number; title: string; text: string | null } | null;
  merged: { conflicts: number; text: string | null } | null;
  why: string | null;
};
export type Decided = {
  holdId: string;
  decision: { verdict: string };
  /** Of the text that may land, where it is another than the one shown. */
  guards?: readonly Guard[];
  run: ShownRun;
};
export type TakenBack = { holdId: string; decision: { verdict: string }; run: ShownRun };

export type MemoEntry = {
  memoId: string;
  title: string;
  tags: readonly string[];
  memoType: string;
  visibility: string;
  contentVersion: number;
  updatedAt: number;
};
export type MemoHit = MemoEntry & { score: number; snippet: string };
export type ShownMemo = MemoEntry & { body: string; notes: string; notesTags: readonly string[] };
export type Imported = {
  path: string;
  memoId?: string;
  outcome: "created" | "updated" | "unchanged" | "refused";
  memoType?: string;
  message?: string;
};
export type ShownVersion = {
  contentVersion: number;
  contentHash: string;
  title: string;
  updatedAt: number;
  writtenBy: Requester;
  runId: string | null;
};

export type ShownAct = {
  act: string;
  at: number;
  by: string;
  username: string;
  holdId?: string;
  runId?: string;
  itemId?: string;
  verdict?: string;
  code?: string;
  until?: number;
  fromStep?: string;
  ofKeyId?: string;
  outcome?: string;
  runStatus?: string | null;
};
export type ShownNotice = {
  noticeId: string;
  kind: string;
  at: number;
  runId: string;
  title: string | null;
  holdId?: string;
  percent?: number;
  expiresAt?: number;
  error?: { code: string; message: string };
  readAt: number | null;
};

export type ShownSession = {
  sessionId: string;
  name: string;
  purpose: string;
  status: string;
  originClass: string;
  requestCount: number;
  lastActiveAt: number;
};

export type ShownPass = PassReport & { passId: string; round: string; at: number };

export type ShownCostLine = {
  workflowId?: string;
  title?: string | null;
  day?: string;
  model?: string;
  sessionId?: string | null;
  tokens: number;
  calls: number;
  costMicroUsd: number | null;
  unpricedCalls?: number;
};
export type ShownCost = {
  by: "workflow" | "day" | "session" | "model";
  from: string;
  to: string;
  complete: boolean;
  pricesAsOf: string[];
  items: ShownCostLine[];
  total?: ShownCostLine;
};

export type PromptPart = {
  kind: string;
  title: string;
  text: string;
  tokens: number;
  contentVersion?: number;
  score?: number;
};
export type PreviewedStep = {
  stepId: string;
  model: string;
  returns: string;
  forEach: string | null;
  parts: PromptPart[];
  system: string;
  user: string;
  tokens: number;
  missing: string[];
};
export type Preview = {
  compiles: boolean;
  diagnostics: ShownDiagnostic[];
  manifest: Record<string, unknown> | null;
  loads: ShownLoad[];
  steps: PreviewedStep[];
};

export type ShownSchedule = { expression: string; status: "live" | "paused"; nextAt: number | null };

type ProposedWord = { sessionId: string; kind: "interrupt" | "continue"; reason: string };
export type ShownSessionReport = {
  runId: string;
  status: string;
  apply: boolean;
  report: string | null;
  memoId: string | null;
  counts: { live: number; busy: number; idle: number; excluded: number } | null;
  rows: {
    sessionId: string;
    label: string | null;
    idleMinutes: number | null;
    verdict: string | null;
    confidence: number | null;
    saidBy: string | null;
    outcome: string | null;
    decision: { action: string } | null;
    reason: string;
  }[];
  proposals: { proposals: ProposedWord[]; observed: ProposedWord[] };
  error: { code: string; message: string } | null;
};
