import { ERRORS, isAppError, type AppError, type ErrorCode } from "../../lib/core/errors.ts";
import type { HttpAnswer } from "./http-event.ts";
import { fittedJson } from "./left-out-texts.ts";

/** Whether the answer is our fault or the store's: logged as an error, told without its text. */
export const isServerFault = (error: unknown): boolean => {
  const known = knownError(error);
  return known === undefined || ERRORS[known.code].httpStatus >= 500;
};

/** Any error as application/problem+json. The text of a 5xx is never shown; the request id finds it in the log. */
export function problemAnswer(error: unknown, requestId: string): HttpAnswer {
  const known = knownError(error);
  const code = known?.code ?? "internal";
  const { httpStatus, title, hint } = ERRORS[code];
  const standard = { type: `urn:mythos-loops:error:${code}`, title, status: httpStatus, code };
  const shown = known !== undefined && httpStatus < 500;
  const problem = shown
    ? // Standard members last: a detail that is also called `status` must not replace the HTTP status.
      { ...known.details, ...standard, detail: known.message, hint, requestId }
    : { ...standard, detail: title, hint, requestId };
  return {
    statusCode: httpStatus,
    headers: { "content-type": "application/problem+json", ...extraHeaders(code, known) },
    body: fittedJson(problem, null) ?? JSON.stringify({ ...standard, detail: title, hint, requestId }),
  };
}

function extraHeaders(code: ErrorCode, known: AppError | undefined): Record<string, string> {
  if (known && "retryAfterSec" in known.details)
    return { "retry-after": String(known.details.retryAfterSec) };
  if (ERRORS[code].httpStatus === 503) return { "retry-after": "1" };
  if (code === "unauthenticated") return { "www-authenticate": "Bearer" };
  if (code === "method_not_allowed" && known) {
    return { allow: (known as AppError<"method_not_allowed">).details.allowed.join(", ") };
  }
  return {};
}

/** Ours, with a code of this release; a code that another release wrote has no row and is told as internal. */
const knownError = (error: unknown): AppError | undefined =>
  isAppError(error) && Object.hasOwn(ERRORS, error.code) ? error : undefined;
