import type { Token } from "./field.ts";
import type { Condition } from "./manifest.ts";
import { patternFault } from "./pattern.ts";
import { parseReference } from "./template.ts";
import { foldWhitespace } from "../core/text.ts";

const OPERATORS = ["is", "is not", "contains", "matches", "exists", "below", "above"] as const;

export type ConditionText =
  | { ok: true; condition: Condition; path: Token }
  | { ok: false; fault: "form" | "pattern"; at: Token | undefined }
  | { ok: false; fault: "slow"; at: Token; hint: string };

/** Reads `path` operator `value` from tokens that start with the path; prose may follow, arguments may not. */
export function readCondition(
  tokens: readonly Token[],
  allowed: readonly Condition["operator"][],
): ConditionText {
  const codes = tokens.filter((token) => token.kind === "code");
  const [path, value, extra] = codes;
  const form = (at: Token | undefined): ConditionText => ({ ok: false, fault: "form", at });
  if (!path || tokens.find((token) => token.text.trim() !== "") !== path || extra) return form(extra ?? path);
  if (!parseReference(path.text)) return form(path);
  const between = tokens[tokens.indexOf(path) + 1];
  const said = between?.kind === "text" ? foldWhitespace(between.text).toLowerCase() : "";
  if (/^exists\b/.test(said) && allowed.includes("exists")) {
    if (value) return form(value);
    return { ok: true, path, condition: { path: path.text, operator: "exists", value: null, flags: null } };
  }
  const operator = OPERATORS.find((known) => known === said);
  if (
    !operator ||
    !value ||
    !allowed.includes(operator) ||
    tokens.indexOf(value) !== tokens.indexOf(path) + 2
  ) {
    return form(value ?? path);
  }
  if (operator === "below" || operator === "above") {
    if (!/^-?\d+(?:\.\d+)?$/.test(value.text)) return form(value);
  }
  if (operator !== "matches") {
    return { ok: true, path, condition: { path: path.text, operator, value: value.text, flags: null } };
  }
  const pattern = /^\/(.+)\/([a-z]*)$/s.exec(value.text);
  if (!pattern) return { ok: false, fault: "pattern", at: value };
  const [, body = "", flags = ""] = pattern;
  const fault = patternFault(body, flags);
  if (fault?.kind === "slow") return { ok: false, fault: "slow", at: value, hint: fault.hint };
  if (fault) return { ok: false, fault: "pattern", at: value };
  return { ok: true, path, condition: { path: path.text, operator, value: body, flags } };
}
