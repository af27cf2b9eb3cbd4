import { AppError } from "../core/errors.ts";
import { rawElements, rawMember } from "../core/json-slice.ts";
import type { Path } from "../workflows/path.ts";
import { parseReference, valueOf } from "../workflows/template.ts";
import { scopeOf } from "./plan.ts";
import type { StepWork } from "./step-work.ts";

type Given = Pick<StepWork, "plan" | "finished" | "step"> & { item: Pick<StepWork["item"], "payload"> };

/**
 * The elements that a `For each` names, as texts: strings as they are, anything else as it stands in the payload
 * or in the step's output, byte for byte, since parsing would change its numbers.
 * @throws {AppError} payload_invalid, schema_mismatch when there is no list at the path
 */
export function elementsOf(path: string, given: Given): string[] {
  const values = valuesOf(path, given);
  const raw = rawAt(path, given);
  return values.map((element, index) => {
    if (typeof element === "string") return element;
    return raw?.[index] ?? JSON.stringify(element);
  });
}

/** The same elements as values. @throws {AppError} payload_invalid, schema_mismatch */
export function valuesOf(path: string, given: Omit<Given, "item">): unknown[] {
  const reference = parseReference(path);
  const value = reference && valueOf(reference, scopeOf(given.plan, given.finished));
  if (!Array.isArray(value)) throw noList(path, value, given);
  return value as unknown[];
}

/** The elements' own texts; undefined where the value is not in a text, as an Input's default is not. */
function rawAt(path: string, { item, finished }: Given): string[] | undefined {
  const reference = parseReference(path);
  if (!reference || reference.root === "run") return undefined;
  let text = reference.root === "payload" ? item.payload : finished.get(reference.id)?.text;
  for (const part of reference.path satisfies Path) {
    if (text === undefined) return undefined;
    text = typeof part === "number" ? rawElements(text)?.[part] : rawMember(text, part);
  }
  return text === undefined ? undefined : rawElements(text);
}

function noList(path: string, value: unknown, { step }: Pick<Given, "step">): AppError {
  const what = value === undefined ? "nothing" : value === null ? "null" : `a ${typeof value}`;
  const message = `step ${step.id} runs for each of ${path}, which is ${what} and no list`;
  if (path.startsWith("payload.")) {
    const pointer = `/${path.slice("payload.".length).replaceAll(".", "/")}`;
    return new AppError("payload_invalid", message, { failing: [{ pointer, message: "must be a list" }] });
  }
  return new AppError("schema_mismatch", message, { stepId: step.id, failing: [] });
}
