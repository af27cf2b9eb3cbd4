/**
 * What to do next. reject: the caller's fault, nothing to repeat. retry: the same input may pass later.
 * fail: the run ends as failed.
 */
export type Disposition = "reject" | "retry" | "fail";

/** The class of an error that ends a run. */
export type ErrorClass =
  | "compile"
  | "input"
  | "context"
  | "model"
  | "budget"
  | "guard"
  | "dispatch_conflict"
  | "dispatch"
  | "timeout"
  | "recovery_exhausted"
  | "cancelled"
  | "internal";

/** One thing wrong with a request or a payload: where (JSON pointer) and what was allowed. */
export type Failing = { pointer: string; message: string };

type ErrorDetails = {
  malformed_json: { at: string };
  unsupported_media_type: { received: string };
  invalid_request: { failing: Failing[] };
  body_too_large: { limit: number; actual: number };
  unauthenticated: Record<string, never>;
  scope_missing: { scope: string };
  not_found: { path: string };
  method_not_allowed: { allowed: string[] };
  session_not_found: { sessionId: string };
  session_ended: { sessionId: string };
  memo_not_found: { memoId: string };
  memo_version_conflict: { memoId: string; expected: number | null; actual: number | null };
  precondition_required: { header: string };
  workflow_not_found: { workflow: string };
  workflow_invalid: { workflow: string; errors: number };
  payload_invalid: { failing: Failing[] };
  item_not_found: { itemId: string };
  run_not_found: { runId: string };
  run_not_cancellable: { runId: string; runStatus: string };
  hold_not_found: { holdId: string };
  already_decided: { holdId: string; decision: unknown };
  stale_proposal: { holdId: string; shown: string; current: string };
  verdict_unknown: { verdict: string; allowed: string[] };
  self_approval_forbidden: { holdId: string };
  decider_not_allowed: { holdId: string };
  hold_closed: { holdId: string; runStatus: string };
  lease_lost: { runId: string; epoch: number };
  recovery_exhausted: { runId: string; attempts: number };
  hop_limit: { runId: string; hops: number };
  gate_unavailable: { ref: string };
  hook_unavailable: { ref: string };
  source_unavailable: { source: string };
  source_refused: { source: string };
  search_too_few: { found: number; needed: number };
  step_timeout: { stepId: string; timeoutMs: number };
  model_failed: { stepId: string; attempts: number };
  model_refused: { stepId: string };
  model_throttled: { retryAfterMs: number | null };
  schema_mismatch: { stepId: string };
  offline_cannot: { stepId: string; what: string };
  output_too_large: { limit: number; actual: number };
  budget_exhausted: { limit: string; spent: number };
  guard_failed: { guard: string };
  dispatch_conflict: { memoId: string; expected: number | null; actual: number | null };
  source_moved: { memoId: string };
  target_missing: { memoId: string };
  target_forbidden: { memoId: string };
  destination_unavailable: { destination: string };
  storage_unavailable: { operation: string; requestId: string | undefined };
  storage_throttled: { operation: string; requestId: string | undefined };
  internal: Record<string, never>;
};
export type ErrorCode = keyof ErrorDetails;

type Row = { disposition: Disposition; httpStatus: number; class: ErrorClass; title: string; hint: string };

/** Every code with what it means and what to do next. A code without a row does not compile. */
export const ERRORS = {
  malformed_json: row(
    "reject",
    400,
    "input",
    "The body is not JSON",
    "Send valid JSON; check the place that is named.",
  ),
  unsupported_media_type: row(
    "reject",
    415,
    "input",
    "The body's type is not read here",
    "Send content-type: application/json.",
  ),
  invalid_request: row(
    "reject",
    400,
    "input",
    "The request is not of the right form",
    "Correct each named place and send it again.",
  ),
  body_too_large: row(
    "reject",
    413,
    "input",
    "The body is too large",
    "Send at most the stated number of UTF-8 bytes.",
  ),
  unauthenticated: row(
    "reject",
    401,
    "input",
    "No valid key was sent",
    "Send authorization: Bearer <key>, or x-api-key.",
  ),
  scope_missing: row(
    "reject",
    403,
    "input",
    "This key may not do that",
    "Use a key that has the named scope.",
  ),
  not_found: row(
    "reject",
    404,
    "input",
    "Nothing is at this path",
    "Check the path; the README lists the routes.",
  ),
  method_not_allowed: row(
    "reject",
    405,
    "input",
    "This path does not take that method",
    "Use one of the allowed methods.",
  ),
  session_not_found: row(
    "reject",
    404,
    "input",
    "No such session",
    "Create one with POST /api/internal/sessions.",
  ),
  session_ended: row("reject", 409, "input", "The session has ended", "Create a new session."),
  memo_not_found: row("reject", 404, "input", "No such memo", "Search with GET /api/memos?q=."),
  memo_version_conflict: row(
    "reject",
    409,
    "input",
    "The memo has changed",
    "Read it again and send its current contentVersion in If-Match.",
  ),
  precondition_required: row(
    "reject",
    428,
    "input",
    "An update must say which version it changes",
    "Send If-Match with the contentVersion that you read.",
  ),
  workflow_not_found: row(
    "reject",
    404,
    "input",
    "No such workflow",
    "GET /api/workflows lists ids and commands.",
  ),
  workflow_invalid: row(
    "reject",
    409,
    "compile",
    "The workflow does not compile",
    "GET /api/workflows/{id} shows each diagnostic with its line.",
  ),
  payload_invalid: row(
    "reject",
    400,
    "input",
    "The payload does not fit the workflow's Inputs",
    "Correct each named field.",
  ),
  item_not_found: row("reject", 404, "input", "No such item", "Use the itemId that the enqueue answered."),
  run_not_found: row("reject", 404, "input", "No such run", "GET /api/runs lists your runs."),
  run_not_cancellable: row(
    "reject",
    409,
    "input",
    "The run cannot be cancelled any more",
    "It has ended or its approved bytes are landing.",
  ),
  hold_not_found: row("reject", 404, "input", "No such hold", "GET /api/holds lists what waits."),
  already_decided: row(
    "reject",
    409,
    "input",
    "Somebody has already decided",
    "The winning decision is attached.",
  ),
  stale_proposal: row(
    "reject",
    409,
    "input",
    "The hold shows other bytes than those you name",
    "Read the hold again and decide on its current sha256.",
  ),
  verdict_unknown: row(
    "reject",
    400,
    "input",
    "This verdict is not taken here",
    "Use one of the allowed verdicts.",
  ),
  self_approval_forbidden: row(
    "reject",
    403,
    "input",
    "The requester may not decide",
    "Ask another steward, or decide with a person's key.",
  ),
  decider_not_allowed: row(
    "reject",
    403,
    "input",
    "Only people decide",
    "Use a steward's key with the scope holds:decide.",
  ),
  hold_closed: row(
    "reject",
    409,
    "input",
    "The hold is closed",
    "The run has moved on; read GET /api/runs/{id}.",
  ),
  lease_lost: row("reject", 409, "internal", "Another runner has this run", "Nothing to do."),
  recovery_exhausted: row(
    "fail",
    409,
    "recovery_exhausted",
    "The run went quiet too often",
    "Look at its last step, then enqueue it again.",
  ),
  hop_limit: row("fail", 409, "timeout", "The run was continued too often", "Give its steps less to do."),
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
} as const satisfies Record<ErrorCode, Row>;

function row(
  disposition: Disposition,
  httpStatus: number,
  errorClass: ErrorClass,
  title: string,
  hint: string,
): Row {
  return { disposition, httpStatus, class: errorClass, title, hint };
}

/** The one error of this project: the code says what happened, its row what to do next. */
export class AppError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly details: ErrorDetails[C];
  constructor(code: C, message: string, details: ErrorDetails[C], options?: { cause?: unknown }) {
    super(message, options);
    this.name = "AppError";
    this.code = code;
    this.details = details;
  }
}

/** Whether an unknown error is ours with this code. Matched by name, since bundles may hold two copies of the class. */
export function hasCode<C extends ErrorCode>(error: unknown, code: C): error is AppError<C> {
  return isAppError(error) && error.code === code;
}

/** Whether an unknown error is ours. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof Error && error.name === "AppError" && "code" in error;
}

/** What is stored of an error that ended something; an unknown stored code stays as it is. */
export type StoredError = { code: string; class: ErrorClass; message: string; hint: string; at: number };

/** The stored form of any error; what is not ours becomes `internal`, without its text. */
export function storedError(error: unknown, at: number): StoredError {
  const known = isAppError(error) ? error : undefined;
  const code = known?.code ?? "internal";
  const { class: errorClass, hint, title } = ERRORS[code];
  return { code, class: errorClass, message: known?.message ?? title, hint, at };
}
