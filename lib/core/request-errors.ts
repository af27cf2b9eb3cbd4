import { row, type ErrorRow, type Failing } from "./error-row.ts";

/** What each code of a refused request says beside its message. */
export type RequestErrorDetails = {
  malformed_json: { at: string };
  unsupported_media_type: { received: string };
  invalid_request: { failing: Failing[] };
  body_too_large: { limit: number; actual: number };
  answer_too_large: { limit: number; actual: number };
  unauthenticated: Record<string, never>;
  scope_missing: { scope: string };
  not_found: { path: string };
  method_not_allowed: { allowed: string[] };
  session_not_found: { sessionId: string };
  session_ended: {
    sessionId: string;
    endedAt: number;
    outcome: string | null;
    /** Where a steward ended it. */
    verdict?: string;
    judgedBy?: string;
  };
  memo_not_found: { memoId: string };
  memo_version_conflict: { memoId: string; expected: number | null; actual: number | null };
  precondition_required: { header: string };
  workflow_not_found: { workflow: string };
  workflow_invalid: { workflow: string; errors: number };
  payload_invalid: { failing: Failing[] };
  item_not_found: { itemId: string };
  run_not_found: { runId: string };
  run_not_cancellable: { runId: string; runStatus: string };
  run_not_ended: { runId: string; runStatus: string; allowed: readonly string[] };
  run_superseded: { runId: string; itemId: string; generation: number; status: string };
  item_not_settled: { itemId: string; itemStatus: string; allowed: readonly string[] };
  fork_step_unknown: { runId: string; step: string; allowed: string[] };
  fork_outdated: { runId: string; workflow: string };
  hold_not_found: { holdId: string };
  notice_not_found: { noticeId: string };
  edge_not_found: { edgeId: string };
  nothing_proposed: { runId: string; sessionId: string };
  nothing_judged: { runId: string; sessionId: string };
  nothing_to_switch: { workflow: string };
  edge_settled: { edgeId: string; state: string };
  key_not_found: { keyId: string };
  own_key: { keyId: string };
  people_only: { kind: string };
  form_expired: Record<string, never>;
  sign_in_failed: Record<string, never>;
  rate_limited: { limit: number; perSeconds: number; retryAfterSec: number };
  idempotency_key_reused: { key: string };
  idempotency_key_in_progress: { key: string; retryAfterSec: number };
  already_decided: { holdId: string; decision: unknown };
  stale_proposal: { holdId: string; shown: string; current: string };
  verdict_unknown: { verdict: string; allowed: string[] };
  verdict_not_allowed: { holdId: string; verdict: string; allowed: readonly string[] };
  revisions_exhausted: { holdId: string; max: number; allowed: readonly string[] };
  stale_target: { holdId: string; memoId: string; shown: number; current: number | null };
  merge_conflicts: { holdId: string; onVersion: number; conflicts: number; merged: string };
  too_late: { holdId: string; runStatus: string };
  self_approval_forbidden: { holdId: string };
  decider_not_allowed: { holdId: string };
  hold_closed: { holdId: string; runStatus: string };
};

/** Codes of what a caller got wrong: nothing was written. */
export const REQUEST_ERRORS = {
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
  answer_too_large: row(
    "reject",
    413,
    "input",
    "The answer is larger than one answer may be",
    "Ask for less: a list with a smaller limit, one text with part=<its JSON pointer>.",
  ),
  unauthenticated: row(
    "reject",
    401,
    "input",
    "No valid key was sent",
    "Send authorization: Bearer <key>, or x-api-key. A person makes keys with mythos keys create.",
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
  session_ended: row(
    "reject",
    409,
    "input",
    "The session has ended",
    "Stop working in it. Create a new session with continuedFrom to go on.",
  ),
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
  run_not_found: row(
    "reject",
    404,
    "input",
    "No such run",
    "GET /api/runs lists your runs; the run of an item exists once a pass has claimed it, see GET /api/items/{id}.",
  ),
  run_not_cancellable: row(
    "reject",
    409,
    "input",
    "The run cannot be cancelled any more",
    "It has ended or its approved bytes are landing.",
  ),
  run_not_ended: row(
    "reject",
    409,
    "input",
    "The run has not ended",
    "Wait until it has, decide its hold, or end it with POST /api/runs/{id}/cancel.",
  ),
  run_superseded: row(
    "reject",
    409,
    "input",
    "The item has gone again since, by another request",
    "The newest itemId and runId are attached: look at that run, or rerun it once it has ended.",
  ),
  item_not_settled: row(
    "reject",
    409,
    "input",
    "The item still waits or runs",
    "It will be done by itself; POST /api/items/{id}/cancel ends it first.",
  ),
  fork_step_unknown: row(
    "reject",
    409,
    "input",
    "The run cannot be forked from there",
    "Name one of the allowed steps: those that the run had reached. Without any, rerun it.",
  ),
  fork_outdated: row(
    "reject",
    409,
    "input",
    "The workflow has changed since, and its old plan would land without a person",
    "Rerun it: a rerun follows the workflow as it is now.",
  ),
  hold_not_found: row("reject", 404, "input", "No such hold", "GET /api/holds lists what waits."),
  nothing_proposed: row(
    "reject",
    409,
    "input",
    "The report proposes no word to this session",
    "Only what a report proposes can be sent: its proposals name the sessions.",
  ),
  nothing_judged: row(
    "reject",
    409,
    "input",
    "The report judges no such session",
    "Its verdicts name the sessions that were judged.",
  ),
  nothing_to_switch: row(
    "reject",
    409,
    "input",
    "The workflow has no schedule that is switched here",
    "A schedule of a memo follows its memo: change Invoke or Status there.",
  ),
  edge_not_found: row("reject", 404, "input", "No such edge", "GET /api/edges lists them."),
  edge_settled: row(
    "reject",
    409,
    "input",
    "The edge is in a state that this does not follow",
    "Read it again: a new report opens what was resolved or stale.",
  ),
  notice_not_found: row("reject", 404, "input", "No such notice", "GET /api/notices lists them."),
  key_not_found: row("reject", 404, "input", "No such key", "GET /api/keys lists yours."),
  own_key: row(
    "reject",
    409,
    "input",
    "A key does not revoke itself by mistake",
    "Use another key, or say ?self=1.",
  ),
  people_only: row(
    "reject",
    403,
    "input",
    "Only people may do that",
    "Use a key that was made for a person: mythos keys create --help says how one is made.",
  ),
  form_expired: row(
    "reject",
    403,
    "input",
    "The form is of another sign-in",
    "Go back, load the page again and send it from there.",
  ),
  sign_in_failed: row(
    "reject",
    403,
    "input",
    "Signing in did not work",
    "Begin again at /steward; if it stays so, ask whoever runs this deployment.",
  ),
  rate_limited: row(
    "retry",
    429,
    "input",
    "This key writes too often",
    "Wait as long as Retry-After says, then send the same again.",
  ),
  idempotency_key_reused: row(
    "reject",
    422,
    "input",
    "This Idempotency-Key was sent with another request",
    "A new request needs a new key; a repeat must be the same byte for byte.",
  ),
  idempotency_key_in_progress: row(
    "retry",
    409,
    "input",
    "A request with this Idempotency-Key is still being answered",
    "Wait as long as Retry-After says, then send the same again.",
  ),
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
  verdict_not_allowed: row(
    "reject",
    409,
    "input",
    "This hold does not take that verdict",
    "Use one of the allowed verdicts.",
  ),
  revisions_exhausted: row(
    "reject",
    409,
    "input",
    "The draft was revised as often as the policy allows",
    "The hold stays open: edit and approve, or reject.",
  ),
  stale_target: row(
    "reject",
    409,
    "input",
    "The memo has changed again",
    "Read the hold again and decide on the memo's current version.",
  ),
  merge_conflicts: row(
    "reject",
    409,
    "input",
    "Both sides changed the same lines",
    "Settle each place between the marks and send the whole as text.",
  ),
  too_late: row("reject", 409, "input", "It cannot be taken back any more", "The run has gone on; read it."),
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
} as const satisfies Record<keyof RequestErrorDetails, ErrorRow>;
