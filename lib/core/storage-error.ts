import { AppError } from "./errors.ts";

const CONDITION_FAILED = "ConditionalCheckFailedException";

const THROTTLED = new Set([
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "RequestLimitExceeded",
  "OverLimit",
  "RequestThrottled",
]);

/** Whether the store answered that a write's condition was false: an outcome, never a fault. */
export function isConditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === CONDITION_FAILED;
}

/**
 * Runs one call to a store. A false condition passes through; throttled and broken become
 * `storage_throttled` and `storage_unavailable`, with the operation and the request id only:
 * a raw SDK error carries socket state and item content.
 */
export async function storage<T>(operation: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isConditionFailed(error)) throw error;
    const requestId = requestIdOf(error);
    const code =
      error instanceof Error && THROTTLED.has(error.name) ? "storage_throttled" : "storage_unavailable";
    const reason = error instanceof Error ? error.name : "unknown";
    throw new AppError(code, `${operation} failed: ${reason}`, { operation, requestId }, { cause: error });
  }
}

/** True when the write was made, false when its condition was false. */
export async function conditional(operation: string, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await storage(operation, call);
    return true;
  } catch (error) {
    if (isConditionFailed(error)) return false;
    throw error;
  }
}

function requestIdOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("$metadata" in error)) return undefined;
  const metadata = error.$metadata as { requestId?: string } | undefined;
  return metadata?.requestId;
}
