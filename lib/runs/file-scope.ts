import { utf8Bytes } from "../core/bytes.ts";
import { AppError } from "../core/errors.ts";
import { MEMO_TEXT_MAX_BYTES } from "../memos/memo.ts";
import type { Item } from "../queue/item.ts";
import type { FileScope } from "../workflow-files/reference.ts";
import type { Finished } from "./process-step.ts";
import type { StepRow } from "./plan.ts";

/** What a step's row holds: a text as it is, anything else as JSON. */
export type Output = Pick<StepRow, "returns" | "text">;

/** The value that a row holds. */
export const valueOfOutput = ({ returns, text }: Output): unknown =>
  returns === "json" ? (JSON.parse(text) as unknown) : text;

/**
 * A value as its step's row holds it.
 * @throws {AppError} output_too_large
 */
export function outputOf(stepId: string, value: unknown): Output {
  // What has no JSON, as undefined, is null to whoever reads it.
  const output: Output =
    typeof value === "string"
      ? { returns: "text", text: value }
      : { returns: "json", text: JSON.stringify(value) ?? "null" };
  const actual = utf8Bytes(output.text);
  if (actual <= MEMO_TEXT_MAX_BYTES) return output;
  throw new AppError("output_too_large", `step ${stepId} gave ${actual} bytes of ${MEMO_TEXT_MAX_BYTES}`, {
    limit: MEMO_TEXT_MAX_BYTES,
    actual,
  });
}

/** What references see: the payload as it was sent, without defaults, and the outputs of finished steps. */
export function fileScope(item: Pick<Item, "payload">, finished: Finished = new Map()): FileScope {
  const steps: Record<string, unknown> = {};
  for (const [id, row] of finished) {
    // Parsed when it is asked for: most steps name one or two of many.
    let read: { value: unknown } | undefined;
    Object.defineProperty(steps, id, {
      enumerable: true,
      configurable: true,
      get: () => (read ??= { value: valueOfOutput(row) }).value,
    });
  }
  return { input: item.payload.trim() === "" ? {} : (JSON.parse(item.payload) as unknown), steps };
}

/** The same, with the output of one step more; others that have it before them do not see it. */
export function withOutput(scope: FileScope, stepId: string, value: unknown): FileScope {
  const steps = Object.create(null, Object.getOwnPropertyDescriptors(scope.steps)) as Record<string, unknown>;
  Object.defineProperty(steps, stepId, { enumerable: true, configurable: true, value });
  return { ...scope, steps };
}
