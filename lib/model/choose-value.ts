import { bm25, queryOf, type Query } from "./rank.ts";
import { contentWords, termsOf } from "./terms.ts";

/** One of a schema's allowed values with the words that spoke for it. */
export type Choice = { value: unknown; words: readonly string[]; clear: boolean };

const SHRUG = /^(?:unknown|unclear|other|none|neither|unsure|needs[-_ ].*)$/i;

/**
 * The allowed value whose description in the rules shares most with the evidence. Where two are as near, or none
 * is near at all, the one that the rules name for doubt; never a guess by position when a better ground is there.
 */
export function chooseValue(
  allowed: readonly unknown[],
  rules: readonly string[],
  evidence: readonly { text: string; weight: number }[],
): Choice {
  const query = queryOf(evidence);
  const described = allowed.map((value) => [
    ...termsOf(String(value)),
    ...termsOf(descriptionOf(value, rules)),
  ]);
  const scores = bm25(described, query);
  const ranked = allowed
    .map((value, index) => ({ value, score: scores[index] ?? 0 }))
    .toSorted((a, b) => b.score - a.score);
  const [best, second] = ranked;
  if (best && best.score > 0 && best.score > (second?.score ?? 0) * 1.1) {
    return {
      value: best.value,
      words: sharedWords(`${String(best.value)} ${descriptionOf(best.value, rules)}`, query),
      clear: true,
    };
  }
  return { value: forDoubt(allowed, rules) ?? best?.value, words: [], clear: false };
}

/** What the rules say of a value: the lines that name it in code or bold, or that begin with it. */
function descriptionOf(value: unknown, rules: readonly string[]): string {
  const name = escapeRegExp(String(value));
  const named = new RegExp(
    `^\\s*(?:[-*+]\\s+|\\|\\s*|\\d+[.)]\\s+)?(?:\`${name}\`|\\*\\*\`?${name}\`?\\*\\*|${name}\\s*[:—–-])`,
    "i",
  );
  const lines = rules.flatMap((rule) => rule.split(/\r\n|\r|\n/));
  return lines
    .flatMap((line, index) => {
      if (!named.test(line)) return [];
      const more = lines.slice(index + 1, index + 4);
      const end = more.findIndex((next) => !/^\s+\S/.test(next));
      return [line, ...more.slice(0, end === -1 ? more.length : end)];
    })
    .join(" ");
}

/** "If two fit, pick `needs-owner`": the value that the rules give for doubt. */
function forDoubt(allowed: readonly unknown[], rules: readonly string[]): unknown {
  const sentences = rules.flatMap((rule) => rule.split(/(?<=[.!?])\s+|\n/));
  const doubtful = sentences.filter((sentence) =>
    /\b(?:two fit|both fit|more than one fits?|none fits?|nothing fits|in doubt|unsure|not sure|unclear|cannot tell|can't tell)\b/i.test(
      sentence,
    ),
  );
  for (const sentence of doubtful) {
    const named = allowed.find((value) => sentence.includes(`\`${String(value)}\``));
    if (named !== undefined) return named;
  }
  return allowed.find((value) => typeof value === "string" && SHRUG.test(value));
}

const sharedWords = (description: string, query: Query): string[] =>
  contentWords(description)
    .filter((word) => termsOf(word).some((term) => query.has(term)))
    .slice(0, 5);

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
