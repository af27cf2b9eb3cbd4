import type { GuardResult } from "./guards.ts";

/** Above this many comparisons words are counted without their order: a text of 2 MB must not take minutes. */
const MAX_COMPARISONS = 25_000_000;

/** How much of an update may differ from the text it replaces, as the policy writes it: `60%`. */
export function maxChange(base: string | null, text: string, limit: string | null): GuardResult {
  const guard = "max-change";
  const allowed = Number(/^(\d{1,3})%$/.exec(limit ?? "")?.[1] ?? 0);
  if (base === null) return { guard, passed: true, message: "a new memo changes nothing" };
  const changed = Math.ceil(changedShare(base, text) * 100);
  const passed = changed <= allowed;
  return { guard, passed, message: `${changed}% of the words change; at most ${allowed}% may` };
}

/**
 * The share of words that an update changes, 0 to 1: of the old text what is lost, of the new one what is not
 * from it, whichever is more. Moved words count as changed.
 */
export function changedShare(base: string, text: string): number {
  const before = wordsOf(base);
  const after = wordsOf(text);
  if (before.length === 0 && after.length === 0) return 0;
  const kept = keptInOrder(before, after);
  const lost = before.length === 0 ? 0 : 1 - kept / before.length;
  const added = after.length === 0 ? 0 : 1 - kept / after.length;
  return Math.max(lost, added);
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

/** Words or lines that both have in the same order: the ends they share, and the longest row of what is between. */
export function keptInOrder(before: readonly string[], after: readonly string[]): number {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const old = before.slice(head, before.length - tail);
  const now = after.slice(head, after.length - tail);
  const middle = old.length * now.length > MAX_COMPARISONS ? inBoth(old, now) : inOrder(old, now);
  return head + tail + middle;
}

/** Length of the longest common subsequence, by rows. */
function inOrder(a: readonly string[], b: readonly string[]): number {
  let above = new Uint32Array(b.length + 1);
  for (const word of a) {
    const row = new Uint32Array(b.length + 1);
    for (const [index, other] of b.entries()) {
      row[index + 1] =
        word === other ? (above[index] ?? 0) + 1 : Math.max(row[index] ?? 0, above[index + 1] ?? 0);
    }
    above = row;
  }
  return above.at(-1) ?? 0;
}

function inBoth(a: readonly string[], b: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1);
  let kept = 0;
  for (const word of b) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    kept++;
  }
  return kept;
}
