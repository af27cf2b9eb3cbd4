/** Longest pattern that is run. */
export const PATTERN_MAX_LENGTH = 200;

/**
 * Longest part of a subject that a pattern is run on, by its number of open repeats: each of them multiplies
 * the steps by the subject's length, and these keep the worst case near a second.
 */
const SUBJECT_MAX_LENGTH = [100_000, 10_000, 1_500, 400] as const;

const FLAGS = /^[imsu]*$/;

/** What is wrong with a pattern; null when it may be run. */
export function patternFault(pattern: string, flags: string): "slow" | "invalid" | null {
  if (pattern.length > PATTERN_MAX_LENGTH) return "slow";
  if (!FLAGS.test(flags) || !compiles(pattern, flags)) return "invalid";
  return openRepeats(pattern) === undefined ? "slow" : null;
}

/** Whether a text matches; a long text is matched by its start only. A pattern that may not run matches nothing. */
export function matchesPattern(pattern: string, flags: string, subject: string): boolean {
  if (patternFault(pattern, flags) !== null) return false;
  const limit = SUBJECT_MAX_LENGTH[openRepeats(pattern) ?? 0] ?? 0;
  return new RegExp(pattern, flags).test(subject.slice(0, limit));
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

type Group = { repeats: boolean; choice: boolean };

/**
 * How many open repeats a pattern has; undefined when it could be very slow: a repeat or a choice inside a
 * repeated group, a reference back, or too many open repeats. Refuses more than it must.
 */
function openRepeats(pattern: string): number | undefined {
  const groups: Group[] = [{ repeats: false, choice: false }];
  let closed: Group | undefined;
  let open = 0;
  for (let at = 0; at < pattern.length; at++) {
    const inner = groups.at(-1);
    if (!inner) return undefined;
    const char = pattern[at];
    const before: Group | undefined = closed;
    closed = undefined;
    if (char === "\\") {
      if (/[1-9k]/.test(pattern[at + 1] ?? "")) return undefined;
      at += 1;
    } else if (char === "[") {
      at = endOfClass(pattern, at);
    } else if (char === "(") {
      groups.push({ repeats: false, choice: false });
    } else if (char === ")") {
      closed = groups.pop();
      const outer = groups.at(-1);
      if (outer && closed?.repeats) outer.repeats = true;
      if (outer && closed?.choice) outer.choice = true;
    } else if (char === "|") {
      inner.choice = true;
    } else {
      const repeat = repeatAt(pattern, at);
      if (!repeat) continue;
      if (repeat.many && (before?.repeats || before?.choice)) return undefined;
      if (repeat.many) inner.repeats = true;
      if (repeat.open) open += 1;
      at += repeat.length - 1;
    }
  }
  return open < SUBJECT_MAX_LENGTH.length ? open : undefined;
}

function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === "\\") at += 1;
    else if (pattern[at] === "]") return at;
  }
  return pattern.length;
}

const COUNTED = /\{(\d*)(,?)(\d*)\}\??/y;

/** A counted repeat above this costs as much as one without an end. */
const LARGE_COUNT = 20;

type Repeat = { length: number; many: boolean; open: boolean };

/** The repeat at a place: `many` when it may match twice or more, `open` when it has no end. */
function repeatAt(pattern: string, at: number): Repeat | undefined {
  const char = pattern[at];
  if (char === "*" || char === "+") {
    return { length: pattern[at + 1] === "?" ? 2 : 1, many: true, open: true };
  }
  if (char !== "{") return undefined;
  COUNTED.lastIndex = at;
  const match = COUNTED.exec(pattern);
  if (!match) return undefined;
  const most = match[2] ? match[3] : match[1];
  const count = most === "" ? Number.POSITIVE_INFINITY : Number(most);
  return { length: match[0].length, many: count > 1, open: count > LARGE_COUNT };
}
