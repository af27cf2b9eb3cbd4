import { termsOf } from "./terms.ts";

/** Common headings of reports with words that show that a sentence belongs under one. */
const CUES: readonly (readonly [heading: RegExp, words: string])[] = [
  [
    /^(?:shipped|done|finished|landed)\b/i,
    "shipped released landed merged finished done approved published added",
  ],
  [/^(?:learn|lesson|found)/i, "learned found because discovered noticed lesson means reason"],
  [
    /^(?:stuck|blocked|open|problem)/i,
    "stuck blocked waits waiting failed fails error problem broken cannot open",
  ],
];

/** The words that a sentence under a heading is likely to have: those of the heading, and its usual ones. */
export function wordsUnder(heading: string): string {
  const cue = CUES.find(([pattern]) => pattern.test(heading))?.[1] ?? "";
  return `${heading} ${cue}`;
}

/** The first of some headings that shares a word with a text; undefined when none does. */
export function headingFor(text: string, headings: readonly string[]): string | undefined {
  const terms = new Set(termsOf(text));
  return headings.find((heading) => termsOf(wordsUnder(heading)).some((term) => terms.has(term)));
}

/** "in three parts: shipped, learned, stuck" as headings; empty when a rule asks for none. */
export function requestedHeadings(rule: string): string[] {
  const list = /\b(?:parts|sections|headings)\b[^.:\n]{0,40}:\s*([^.\n]{3,160})/i.exec(rule)?.[1];
  if (list === undefined) return [];
  const names = list.split(/\s*(?:,|;|\band\b)\s*/i).map((name) => name.replace(/[*`"]/g, "").trim());
  const headings = names.filter((name) => name !== "" && name.length <= 40);
  return headings.length >= 2 && headings.length <= 6
    ? headings.map((name) => name.charAt(0).toUpperCase() + name.slice(1))
    : [];
}
