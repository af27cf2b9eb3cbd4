import { Logger } from "@aws-lambda-powertools/logger";

/** Ids, counts and codes; never a payload, a text, a secret or a raw error. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/** Structured lines for the function's log. */
export type Log = {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
};

/** JSON lines on the function's log stream. */
export function createLog(): Log {
  const logger = new Logger({ serviceName: "mythos-loops" });
  return {
    info: (message, fields = {}) => logger.info(message, fields),
    warn: (message, fields = {}) => logger.warn(message, fields),
    error: (message, fields = {}) => logger.error(message, fields),
  };
}

/** What may be logged of any error: its name and, when it is ours, its code and the store's request id. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const details = "details" in error ? (error.details as { operation?: unknown; requestId?: unknown }) : {};
  const cause = error.cause instanceof Error ? error.cause.name : undefined;
  return {
    errorName: error.name,
    errorCode: code,
    causeName: cause,
    operation: textOf(details?.operation),
    storeRequestId: textOf(details?.requestId),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
