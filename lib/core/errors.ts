import type { ErrorClass, ErrorRow } from "./error-row.ts";
import { REQUEST_ERRORS, type RequestErrorDetails } from "./request-errors.ts";
import { RUN_ERRORS, type RunErrorDetails } from "./run-errors.ts";

export type { Disposition, ErrorClass, Failing } from "./error-row.ts";

type ErrorDetails = RequestErrorDetails & RunErrorDetails;
export type ErrorCode = keyof ErrorDetails;

/** Every code with what it means and what to do next. A code without a row does not compile. */
export const ERRORS = { ...REQUEST_ERRORS, ...RUN_ERRORS } as const satisfies Record<ErrorCode, ErrorRow>;

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
