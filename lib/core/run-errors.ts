import { row, type ErrorRow, type Failing } from "./error-row.ts";

/**
 * A limit that a call does not fit: what of it is spent or reserved by calls under way, and the most that the call
 * may take. Null where a call has no price, so that nobody can say.
 */
export type BudgetBreach = {
  of: "run" | "workflow day" | "library day";
  /** What the three amounts count. */
  unit: "tokens" | "microUsd";
  limit: number;
  spent: number | null;
  estimate: number | null;
  stepId: string;
};

/** What each code of a run, of its store or of its destination says beside its message. */
export type RunErrorDetails = {
  lease_lost: { runId: string; epoch: number };
  recovery_exhausted: { runId: string; attempts: number };
  hop_limit: { runId: string; hops: number };
  item_unreadable: { itemId: string };
  gate_unavailable: { ref: string };
  hook_unavailable: { ref: string };
  source_unavailable: { source: string };
  source_refused: { source: string };
  search_too_few: { found: number; needed: number };
  step_timeout: { stepId: string; timeoutMs: number };
  model_failed: { stepId: string; attempts: number };
  model_refused: { stepId: string };
  model_throttled: { retryAfterMs: number | null };
  schema_mismatch: { stepId: string; failing?: Failing[] };
  offline_cannot: { stepId: string; what: string };
  output_too_large: { limit: number; actual: number };
  budget_exhausted: BudgetBreach;
  guard_failed: { guard: string };
  dispatch_conflict: { memoId: string; expected: number | null; actual: number | null };
  source_moved: { memoId: string };
  tool_unavailable: { name: string };
  transform_failed: { stepId: string };
  target_missing: { memoId: string };
  target_forbidden: { memoId: string };
  destination_unavailable: { destination: string };
  storage_unavailable: { operation: string; requestId: string | undefined };
  storage_throttled: { operation: string; requestId: string | undefined };
  internal: Record<string, never>;
};

/** Codes of what went wrong while work was done. */
export const RUN_ERRORS = {
  lease_lost: row("reject", 409, "internal", "Another runner has this run", "Nothing to do."),
  recovery_exhausted: row(
    "fail",
    409,
    "recovery_exhausted",
    "The run went quiet too often",
    "Look at its last step, then enqueue it again.",
  ),
  hop_limit: row("fail", 409, "timeout", "The run was continued too often", "Give its steps less to do."),
  item_unreadable: row(
    "fail",
    409,
    "input",
    "The item's row cannot be read",
    "Enqueue the work again under another key; the row was changed by something else than this program.",
  ),
  gate_unavailable: row(
    "fail",
    409,
    "context",
    "A gate memo could not be loaded",
    "Restore the memo or change the Load Contract.",
  ),
  hook_unavailable: row(
    "fail",
    409,
    "context",
    "A hook memo could not be loaded",
    "Restore the memo or change the Load Contract.",
  ),
  source_unavailable: row(
    "fail",
    409,
    "context",
    "A source could not be read",
    "Try again later, or take the Include out of the context step.",
  ),
  source_refused: row(
    "fail",
    409,
    "context",
    "A source may not be read here",
    "Allow the host under fetch.hosts in config.json, or use another address.",
  ),
  search_too_few: row("fail", 409, "context", "A search found too little", "Lower `at least`, or add memos."),
  step_timeout: row(
    "fail",
    409,
    "timeout",
    "A step took too long",
    "Raise Timeout in the Policy (at most 12m).",
  ),
  model_failed: row(
    "fail",
    409,
    "model",
    "The model did not answer",
    "Try again later; see the step for each attempt.",
  ),
  model_refused: row(
    "fail",
    409,
    "model",
    "The model refused",
    "Read the step's text and change the instructions.",
  ),
  model_throttled: row("retry", 503, "model", "The model is over its rate", "It is tried again by itself."),
  schema_mismatch: row(
    "fail",
    409,
    "model",
    "The model's JSON does not fit",
    "Loosen the step's schema, or use a model that is better at JSON.",
  ),
  offline_cannot: row(
    "fail",
    409,
    "model",
    "The offline writer cannot do this",
    "Set a real model in config.json.",
  ),
  output_too_large: row("fail", 413, "model", "The output is too large", "Ask for less, or set Max output."),
  budget_exhausted: row("fail", 409, "budget", "The budget is spent", "Raise Budget in the Policy."),
  guard_failed: row(
    "fail",
    409,
    "guard",
    "A guard refused the proposal",
    "Read the guard's message on the run.",
  ),
  dispatch_conflict: row(
    "fail",
    409,
    "dispatch_conflict",
    "The target memo changed after the draft was frozen",
    "The draft is kept on the run; enqueue again on the new version.",
  ),
  source_moved: row(
    "fail",
    409,
    "dispatch_conflict",
    "The source changed after the item was enqueued",
    "The draft is kept on the run; enqueue again.",
  ),
  tool_unavailable: row(
    "fail",
    409,
    "compile",
    "Nothing here does what the step names",
    "This deployment has another release than the one that the run began with: rerun it.",
  ),
  transform_failed: row(
    "fail",
    409,
    "internal",
    "A computation of the workflow failed",
    "Read the outputs of the steps before it: one of them is not as it expects.",
  ),
  target_missing: row(
    "fail",
    409,
    "dispatch",
    "The target memo is gone",
    "The draft is kept on the run; enqueue again with another target.",
  ),
  target_forbidden: row(
    "fail",
    409,
    "dispatch",
    "A run may not change this memo",
    "Workflows and gate memos are changed by people only.",
  ),
  destination_unavailable: row(
    "fail",
    409,
    "dispatch",
    "Nothing here writes to that destination",
    "Use a destination this deployment has.",
  ),
  storage_unavailable: row(
    "retry",
    503,
    "internal",
    "The store did not answer",
    "Send the same request again.",
  ),
  storage_throttled: row(
    "retry",
    503,
    "internal",
    "The store is over its rate",
    "Send the same request again after a moment.",
  ),
  internal: row("fail", 500, "internal", "Something broke here", "It is in the log under the request id."),
} as const satisfies Record<keyof RunErrorDetails, ErrorRow>;
