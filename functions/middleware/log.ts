import { Logger } from "@aws-lambda-powertools/logger";
import { SERVICE } from "../../lib/core/metrics.ts";
import { truncate } from "../../lib/core/text.ts";

/** The longest of ours is a route, or the reasons of a pass; a text that came in by mistake is cut here. */
const VALUE_MAX = 300;

/** All that a line may say: ids, counts and codes; never a payload, a text, a secret or a raw error. */
const FIELDS = [
  "requestId",
  "sessionId",
  "runId",
  "memoId",
  "messageId",
  "principalId",
  "storeRequestId",
  "route",
  "status",
  "ms",
  "queue",
  "reason",
  "round",
  "epoch",
  "outcome",
  "bytes",
  "digest",
  "errorName",
  "errorCode",
  "causeName",
  "operation",
  // What a round counts: `PassReport`.
  "pending",
  "fired",
  "started",
  "failedItems",
  "resumed",
  "recovered",
  "redispatched",
  "exhausted",
  "expired",
  "skipped",
  "modelCalls",
  // What a redrive counts.
  "redriven",
  "left",
  "failed",
] as const;
const ALLOWED: ReadonlySet<string> = new Set(FIELDS);

export type LogFields = Partial<
  Record<(typeof FIELDS)[number], string | number | boolean | null | undefined>
>;

/** Structured lines for the function's log. */
export type Log = {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
};

/** JSON lines on the function's log stream. */
export function createLog(): Log {
  const logger = new Logger({ serviceName: SERVICE });
  return {
    info: (message, fields = {}) => logger.info(message, allowed(fields)),
    warn: (message, fields = {}) => logger.warn(message, allowed(fields)),
    error: (message, fields = {}) => logger.error(message, allowed(fields)),
  };
}

/** Only the fields of the list, each cut to the length of what an id or a code needs. */
export const allowed = (fields: LogFields): LogFields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => ALLOWED.has(name))
      .map(([name, value]) => [name, typeof value === "string" ? truncate(value, VALUE_MAX) : value]),
  );

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
