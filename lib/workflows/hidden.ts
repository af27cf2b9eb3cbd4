import type { Markdown, Span } from "../core/markdown.ts";
import type { Report } from "./diagnostics.ts";

/**
 * Characters that nobody sees. They change the order in which a text is shown, stand in a word without a sign of
 * it, or spell whole sentences that only a machine reads.
 */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800\uFFF9-\uFFFB]|(?![\t\n\r])\p{Cc}/gu;

const NAMES: Record<number, string> = {
  0x00ad: "SOFT HYPHEN",
  0x061c: "ARABIC LETTER MARK",
  0x200b: "ZERO WIDTH SPACE",
  0x200c: "ZERO WIDTH NON-JOINER",
  0x200d: "ZERO WIDTH JOINER",
  0x200e: "LEFT-TO-RIGHT MARK",
  0x200f: "RIGHT-TO-LEFT MARK",
  0x202a: "LEFT-TO-RIGHT EMBEDDING",
  0x202b: "RIGHT-TO-LEFT EMBEDDING",
  0x202c: "POP DIRECTIONAL FORMATTING",
  0x202d: "LEFT-TO-RIGHT OVERRIDE",
  0x202e: "RIGHT-TO-LEFT OVERRIDE",
  0x2060: "WORD JOINER",
  0x2061: "FUNCTION APPLICATION",
  0x2062: "INVISIBLE TIMES",
  0x2063: "INVISIBLE SEPARATOR",
  0x2064: "INVISIBLE PLUS",
  0x2066: "LEFT-TO-RIGHT ISOLATE",
  0x2067: "RIGHT-TO-LEFT ISOLATE",
  0x2068: "FIRST STRONG ISOLATE",
  0x2069: "POP DIRECTIONAL ISOLATE",
  0xfeff: "ZERO WIDTH NO-BREAK SPACE",
  0xe0001: "LANGUAGE TAG",
  0xe007f: "CANCEL TAG",
};

/** Says how an emoji, a digit or a sign is to be drawn. */
const VARIANT = /^[\uFE0E\uFE0F]$/u;
const TAKES_VARIANT = /\p{Emoji}$/u;
/** Variants of ideographs, as names of people and places are written. */
const IDEOGRAPH_VARIANT = /^[\u{E0100}-\u{E01EF}]$/u;
const IDEOGRAPH = /\p{Script=Han}$/u;

/** Emoji are joined by it: a sign, its variant or its skin before, a sign after. */
const JOINS_EMOJI = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D$/u;
const EMOJI = /^\p{Extended_Pictographic}/u;
/** England's flag and its like are a black flag and its letters as tags. */
const FLAG_BEFORE = /\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,6}\u{E007F}$/u;
/** Scripts whose writing needs the joiners inside words. */
const JOINING_LETTER =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTER = /\p{L}/u;

/** A text of nothing else is known by then. */
const MAX_FOUND = 1000;

export type Hidden = { code: "MW013" | "MW014"; span: Span; character: string };

/**
 * The hidden characters of a text. Where the writing of a language has them, between two of its letters, they are
 * a warning. Anywhere else they are an error, in notes and comments too: a person approves what is shown, so
 * what a model or the compiler reads must be what is shown, and there is no other reason to write them.
 */
export function hiddenIn(source: string): Hidden[] {
  const found: Hidden[] = [];
  for (const { 0: character, index } of source.matchAll(HIDDEN)) {
    const end = index + character.length;
    if (isPartOfEmoji(source, index, end)) continue;
    const code = isWriting(source, index, end) ? "MW014" : "MW013";
    found.push({ code, span: { start: index, end }, character });
    if (found.length === MAX_FOUND) break;
  }
  return found;
}

function isPartOfEmoji(source: string, start: number, end: number): boolean {
  const character = source.slice(start, end);
  if (character === "\u200D") {
    return (
      JOINS_EMOJI.test(source.slice(Math.max(0, start - 4), end)) && EMOJI.test(source.slice(end, end + 2))
    );
  }
  if (VARIANT.test(character)) return TAKES_VARIANT.test(source.slice(Math.max(0, start - 2), start));
  if ((character.codePointAt(0) ?? 0) < 0xe0000) return false;
  const close = source.indexOf("\u{E007F}", start);
  return (
    close !== -1 && close - start < 14 && FLAG_BEFORE.test(source.slice(Math.max(0, close - 14), close + 2))
  );
}

function isWriting(source: string, start: number, end: number): boolean {
  const character = source.slice(start, end);
  const isBetween = (letter: RegExp): boolean =>
    letter.test(source.slice(Math.max(0, start - 1), start)) && letter.test(source.slice(end, end + 1));
  if (character === "\u00AD") return isBetween(LETTER);
  if (IDEOGRAPH_VARIANT.test(character)) return IDEOGRAPH.test(source.slice(Math.max(0, start - 2), start));
  return (character === "\u200C" || character === "\u200D") && isBetween(JOINING_LETTER);
}

/** Says them, once for each line and code, and takes back what else was said of the words they stand in. */
export function reportHidden({ source, range }: Markdown, report: Report): void {
  const hidden = hiddenIn(source);
  if (hidden.length === 0) return;
  const places = hidden.flatMap(({ code, span }) => (code === "MW013" ? [range(span).start.offset] : []));
  report.withdraw(({ range: { start, end } }) => {
    const next = places.find((place) => place >= start.offset);
    return next !== undefined && next < end.offset && start.line === end.line;
  });
  const lines = new Map<string, Hidden[]>();
  let line = 1;
  let from = 0;
  for (const one of hidden) {
    for (
      let at = source.indexOf("\n", from);
      at !== -1 && at < one.span.start;
      at = source.indexOf("\n", from)
    ) {
      line += 1;
      from = at + 1;
    }
    const key = `${line} ${one.code}`;
    const known = lines.get(key);
    if (known) known.push(one);
    else lines.set(key, [one]);
  }
  for (const [first, ...more] of lines.values()) {
    if (!first) continue;
    const others = more.length === 0 ? "" : `, and ${more.length} more on this line`;
    const name = nameOf(first.character.codePointAt(0) ?? 0);
    if (first.code === "MW013") {
      report.error("MW013", first.span, `A hidden character stands here: ${name}${others}`, {
        hint: "Remove it: what is read must be what is shown.",
        fix: { title: "Remove it", span: first.span, text: "" },
      });
    } else {
      report.warn("MW014", first.span, `A hidden character stands in this word: ${name}${others}`, {
        hint: "Remove it, unless the word is written so.",
      });
    }
  }
}

function nameOf(point: number): string {
  const tag =
    point >= 0xe0020 && point < 0xe007f ? `TAG ${String.fromCodePoint(point - 0xe0000)}` : undefined;
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")} ${NAMES[point] ?? tag ?? "which is not shown"}`;
}
