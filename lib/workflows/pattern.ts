import { hasMatch, MAX_STATES, statesOf } from "./pattern-machine.ts";
import { readSyntax, type Syntax } from "./pattern-syntax.ts";

/** Longest pattern that is run. */
export const PATTERN_MAX_LENGTH = 200;

const FLAGS = /^[imsu]*$/;

/** Why a pattern is not run: it is none, or it is one that may not be, with what to do about it. */
export type PatternFault = { kind: "invalid" } | { kind: "slow"; hint: string };

/** What is wrong with a pattern; null when it may be run. */
export function patternFault(pattern: string, flags: string): PatternFault | null {
  return read(pattern, flags).fault ?? null;
}

/**
 * Whether a text matches, in a time that grows with the text and never faster; only its start when it is very
 * long. A pattern that may not run matches nothing.
 */
export function matchesPattern(pattern: string, flags: string, subject: string): boolean {
  const { syntax } = read(pattern, flags);
  return syntax !== undefined && hasMatch(syntax, flags, subject);
}

function read(
  pattern: string,
  flags: string,
): { syntax: Syntax; fault?: never } | { syntax?: never; fault: PatternFault } {
  const slow = (hint: string) => ({ fault: { kind: "slow", hint } as const });
  if (pattern.length > PATTERN_MAX_LENGTH) return slow(`Keep it under ${PATTERN_MAX_LENGTH} characters.`);
  if (!FLAGS.test(flags) || !compiles(pattern, flags)) return { fault: { kind: "invalid" } };
  const { syntax, why } = readSyntax(pattern, flags);
  if (!syntax) return slow(why);
  const states = statesOf(syntax);
  return states <= MAX_STATES
    ? { syntax }
    : slow(`Repeat less: it unfolds to ${states} parts, of at most ${MAX_STATES}.`);
}

// Of JavaScript's expressions only the form is asked: this one never runs.
function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
