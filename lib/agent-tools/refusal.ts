import { ERRORS, isAppError, type AppError, type ErrorCode } from "../core/errors.ts";

/** What to do next, in the words of who has tools and no routes; the other codes say it well enough for both. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  workflow_not_found: "Call list_workflows for the commands there are.",
  workflow_invalid: "Tell the user that the workflow memo needs mending.",
  payload_invalid: "Correct the payload, or call list_workflows to see what the command takes.",
  memo_not_found: "Call search_memos for its id.",
  memo_version_conflict:
    "Somebody changed it: call read_memo, redo the change on that text, send its version.",
  precondition_required: "Call read_memo, then send its version as expected_version.",
  run_not_found: "Call list_runs for the runs there are.",
  item_not_found: "Use the item that run_loop answered.",
  run_not_cancellable: "Call get_run to see how it ended.",
  session_not_found: "Leave session out, or call touch_session for a new one.",
  session_ended: "Call touch_session for a new one.",
  invalid_request: "Correct that and call again.",
  rate_limited: "Wait that long, then call again with the same arguments.",
  body_too_large: "Send less.",
  scope_missing: "Tell the user: a key with that scope is needed.",
};

export type Refusal = { code: ErrorCode; status: number; text: string };

/** What went wrong and what to do next, as text; of a fault of ours nothing but that it was one. */
export function refusalOf(error: unknown): Refusal {
  const known = isAppError(error) && Object.hasOwn(ERRORS, error.code) ? error : undefined;
  const code = known?.code ?? "internal";
  const { httpStatus, title, hint, disposition } = ERRORS[code];
  if (!known || httpStatus >= 500) {
    const next = disposition === "retry" ? "Call again in a few seconds." : "Tell the user.";
    return { code, status: httpStatus, text: `${title}. ${next}` };
  }
  const wait = "retryAfterSec" in known.details ? ` Retry after ${known.details.retryAfterSec} s.` : "";
  return { code, status: httpStatus, text: `${sentence(known)}${wait} ${NEXT[code] ?? hint}` };
}

const sentence = ({ message }: AppError): string => {
  const said = `${message.charAt(0).toUpperCase()}${message.slice(1)}`.slice(0, 1500);
  return /[.!?]$/.test(said) ? said : `${said}.`;
};
