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

/** What a code means and what to do next. */
export type ErrorRow = {
  disposition: Disposition;
  httpStatus: number;
  class: ErrorClass;
  title: string;
  hint: string;
};

/** One row of the table of codes. */
export function row(
  disposition: Disposition,
  httpStatus: number,
  errorClass: ErrorClass,
  title: string,
  hint: string,
): ErrorRow {
  return { disposition, httpStatus, class: errorClass, title, hint };
}
