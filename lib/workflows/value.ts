import type { Span } from "../core/markdown.ts";
import { foldWhitespace } from "../core/text.ts";
import { isBlank, type Field, type Token } from "./field.ts";

/** The arguments of a value, in order: what stands in backticks. */
export const codesOf = (tokens: readonly Token[]): Token[] => tokens.filter((token) => token.kind === "code");

/** A value's one word: its first argument, or the plain text when nothing stands in backticks. */
export type Word = Span & { text: string; bare: boolean };

export function wordOf(field: Field): Word {
  const code = codesOf(field.tokens)[0];
  if (code) return { text: code.text, start: code.start, end: code.end, bare: false };
  const said = field.tokens.filter((token) => token.kind !== "text" || token.text.trim() !== "");
  const first = said[0];
  const last = said.at(-1);
  if (!first || !last) return { text: "", ...field.keySpan, bare: true };
  const start = first.start + (first.text.length - first.text.trimStart().length);
  const end = Math.max(start, last.end - (last.text.length - last.text.trimEnd().length));
  return { text: proseOf(said), start, end, bare: true };
}

/** The words of a list: its arguments, or the plain text as a single one. */
export function wordsOf(field: Field): Word[] {
  const codes = codesOf(field.tokens);
  if (codes.length === 0) return isBlank(field.tokens) ? [] : [wordOf(field)];
  return codes.map(({ text, start, end }) => ({ text, start, end, bare: false }));
}

/** Tokens as a reader sees them, on one line. */
export function proseOf(tokens: readonly Token[]): string {
  const parts = tokens.map((token) => {
    if (token.kind === "code") return `\`${token.text}\``;
    return token.kind === "ref" ? `[[${token.text}]]` : token.text;
  });
  return foldWhitespace(parts.join(""));
}

const DASH = /(?:^|\s)(?:[\u2013\u2014]|--?)(?=\s|$)/;

/** Divides each block of a value at its first dash: arguments before it, the reason for people after it. */
export function splitAtDash({ tokens, blocks }: Field): { before: Token[]; after: Token[] } {
  const split: { before: Token[]; after: Token[] } = { before: [], after: [] };
  let block = 0;
  let isReason = false;
  for (const token of tokens) {
    for (; token.start >= (blocks[block]?.start ?? Number.POSITIVE_INFINITY); block++) isReason = false;
    const match = token.kind === "text" && !isReason ? DASH.exec(token.text) : null;
    if (!match) {
      (isReason ? split.after : split.before).push(token);
      continue;
    }
    isReason = true;
    split.before.push({ ...token, text: token.text.slice(0, match.index) });
    split.after.push({ ...token, text: token.text.slice(match.index + match[0].length) });
  }
  return split;
}

/** A whole number without sign, or undefined. */
export const wholeNumber = (text: string): number | undefined =>
  /^\d{1,9}$/.test(text) ? Number(text) : undefined;

/** The count of `3000 tokens` or `40k tokens`. */
export function tokenCount(text: string): number | undefined {
  const match = /^(\d{1,9})(k?) tokens?$/.exec(text);
  if (!match) return undefined;
  return Number(match[1]) * (match[2] ? 1000 : 1);
}

/** The memos that tokens name, in brackets with or without backticks around them. */
export function memoRefsOf(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => {
    if (token.kind === "ref") return [token];
    const inner = token.kind === "code" ? /^\[\[([^[\]|]+)(?:\|[^[\]]*)?\]\]$/.exec(token.text) : null;
    return inner ? [{ ...token, text: foldWhitespace(inner[1] ?? "") }] : [];
  });
}
