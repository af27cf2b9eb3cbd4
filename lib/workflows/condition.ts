import type { Condition, Policy } from "./manifest.ts";
import { matchesPattern } from "./pattern.ts";
import { parseReference, valueOf, type Scope } from "./template.ts";

/**
 * `known` is false when the value is missing or cannot be compared. Such doubt is a no for what would be loaded,
 * and a yes for `below` and `above`, which stand only in clauses that turn an approval into a hold.
 */
export type Verdict = { holds: boolean; reason: string; known: boolean };

/** Whether a condition holds, with a sentence that says why. Never throws; no model is asked. */
export function evaluateCondition(condition: Condition, scope: Scope): Verdict {
  const { path, operator, value } = condition;
  const reference = parseReference(path);
  const actual = reference ? valueOf(reference, scope) : undefined;
  const exists = actual !== undefined && actual !== null;
  if (operator === "exists") {
    return { holds: exists, known: true, reason: exists ? `${path} exists` : `${path} is missing` };
  }
  const holds = exists ? compare(actual, condition) : undefined;
  if (holds === undefined) {
    const inDoubt = operator === "below" || operator === "above" || (operator === "is not" && !exists);
    return {
      holds: inDoubt,
      known: false,
      reason: `${path} ${exists ? "cannot be compared" : "is missing"}`,
    };
  }
  const shown = operator === "matches" ? `/${value ?? ""}/${condition.flags ?? ""}` : `"${value ?? ""}"`;
  return {
    holds,
    known: true,
    reason: holds ? `${path} ${operator} ${shown}` : `not: ${path} ${operator} ${shown}`,
  };
}

/**
 * Whether an output waits for a person. Doubt is a hold: with `auto unless …`, a value that is missing or
 * of the wrong kind holds too.
 */
export function needsHold(approval: Policy["approval"], scope: Scope): { hold: boolean; reason: string } {
  if (approval.mode === "hold") return { hold: true, reason: "the policy holds every output" };
  if (!approval.unless) return { hold: false, reason: "the policy approves by itself" };
  const verdict = evaluateCondition(approval.unless, scope);
  return { hold: verdict.holds || !verdict.known, reason: verdict.reason };
}

function compare(actual: unknown, { operator, value, flags }: Condition): boolean | undefined {
  const expected = value ?? "";
  switch (operator) {
    case "is":
      return isSame(actual, expected);
    case "is not":
      return !isSame(actual, expected);
    case "contains":
      if (typeof actual === "string") return actual.includes(expected);
      return Array.isArray(actual) ? actual.some((member) => isSame(member, expected)) : undefined;
    case "matches":
      return typeof actual === "string" ? matchesPattern(expected, flags ?? "", actual) : undefined;
    case "below":
    case "above": {
      const limit = Number(expected);
      if (typeof actual !== "number" || !Number.isFinite(actual) || !Number.isFinite(limit)) return undefined;
      return operator === "below" ? actual < limit : actual > limit;
    }
    case "exists":
      return true;
  }
}

const isSame = (actual: unknown, expected: string): boolean =>
  typeof actual === "object" ? JSON.stringify(actual) === expected : String(actual) === expected;
