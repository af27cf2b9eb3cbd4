import type { Failing } from "../core/errors.ts";
import { nearest, truncate } from "../core/text.ts";
import type { Input, Manifest } from "./manifest.ts";

export type CheckedPayload =
  | { ok: true; payload: Record<string, unknown> }
  | { ok: false; failing: Failing[] };

/** Checks the JSON text a caller sent against a workflow's Inputs and fills in the defaults. */
export function checkPayload(
  { inputs, invoke }: Pick<Manifest["trigger"], "inputs" | "invoke">,
  payloadText: string,
): CheckedPayload {
  const payload = parsed(payloadText.trim() === "" ? "{}" : payloadText);
  if (payload === undefined) return failed("", "The payload is not JSON");
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    return failed("", `The payload is ${kindOf(payload)}; send an object`);
  }
  const given: Record<string, unknown> = { ...payload };
  const failing: Failing[] = [];
  const defaults: [string, unknown][] = [];
  for (const input of inputs) {
    const value = Object.hasOwn(given, input.name) ? given[input.name] : undefined;
    if (value === undefined) {
      if (input.default !== undefined) defaults.push([input.name, input.default]);
      else if (input.required) failing.push({ pointer: pointer(input.name), message: missing(input) });
    } else if (value === null) {
      // An optional input may be null: that is how a caller says "no target, make a new memo".
      if (input.required) failing.push({ pointer: pointer(input.name), message: missing(input) });
    } else {
      const fault = inputFault(input.type, value);
      if (fault) failing.push({ pointer: pointer(input.name), message: `\`${input.name}\` ${fault}` });
    }
  }
  failing.push(...undeclared(Object.keys(given), inputs, invoke));
  if (failing.length > 0) return { ok: false, failing };
  return { ok: true, payload: { ...given, ...Object.fromEntries(defaults) } };
}

/** What `memo tag:T` fills in by itself, declared or not. */
export const MEMO_VALUES = ["memoId", "title", "tags"] as const;

/** A mistyped name must not pass for an input left out. Without Inputs the payload is free. */
function undeclared(
  names: readonly string[],
  inputs: readonly Input[],
  invoke: Manifest["trigger"]["invoke"],
): Failing[] {
  if (inputs.length === 0) return [];
  const declared = inputs.map(({ name }) => name);
  const filled = invoke.some(({ kind }) => kind === "memo") ? MEMO_VALUES : [];
  const known = new Set<string>([...declared, ...filled]);
  return names
    .filter((name) => !known.has(name))
    .map((name) => {
      const meant = nearest(name, declared);
      const hint = meant ? `Did you mean \`${meant}\`?` : `Inputs here: ${declared.join(", ")}.`;
      return { pointer: pointer(name), message: `No Input is named \`${truncate(name, 80)}\`. ${hint}` };
    });
}

/** What is wrong with a value of an Input, as the end of a sentence; null when nothing is. */
export function inputFault(type: Input["type"], value: unknown): string | null {
  switch (type) {
    case "string":
      return typeof value === "string" ? null : `must be a string, not ${kindOf(value)}`;
    case "number":
      return typeof value === "number" && Number.isFinite(value)
        ? null
        : `must be a number, not ${kindOf(value)}`;
    case "boolean":
      return typeof value === "boolean" ? null : `must be true or false, not ${kindOf(value)}`;
    case "url":
      return isUrl(value) ? null : "must be an address that starts with https:// or http://";
    case "memo":
      return typeof value === "string" && MEMO_ID.test(value) ? null : "must be the id of a memo";
    case "json":
      return null;
  }
}

const MEMO_ID = /^memo_[A-Za-z0-9._-]{1,195}$/;
const URL_MAX_LENGTH = 2048;

const isUrl = (value: unknown): boolean =>
  typeof value === "string" &&
  value.length <= URL_MAX_LENGTH &&
  /^https?:\/\//i.test(value) &&
  URL.canParse(value);

const missing = (input: Input): string => `\`${input.name}\` is required`;

const failed = (at: string, message: string): CheckedPayload => ({
  ok: false,
  failing: [{ pointer: at, message }],
});

const pointer = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
