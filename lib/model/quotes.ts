import { foldWhitespace } from "../core/text.ts";
import type { PromptPart } from "./model.ts";
import { bm25, similarity, type Query } from "./rank.ts";
import { passagesOf, type Passage } from "./sentences.ts";
import { termsOf, wordCount } from "./terms.ts";

/** A memo that may be quoted. */
export type Source = { title: string; folded: string; passages: readonly Passage[] };

/** An exact passage of a memo with the memo's title. */
export type Quote = { text: string; title: string; code: Passage["code"]; order: number; score: number };

/** How a title stands between brackets: on one line, otherwise untouched. */
export const citation = (title: string): string => `[[${title.replace(/[\r\n\u2028\u2029]+/g, " ")}]]`;

/** A quote as its line: `> text [[Title]]`. */
export const quoteLine = (quote: Pick<Quote, "text" | "title">): string =>
  `> ${quote.text} ${citation(quote.title)}`;

/** The parts that are material to quote: what a search or a trigger loaded. Gates and hooks are rules, not material. */
export function sourcesOf(parts: readonly PromptPart[]): Source[] {
  return parts
    .filter((part) => (part.kind === "search" || part.kind === "trigger") && part.title.trim() !== "")
    .map(({ title, text }) => {
      const folded = foldWhitespace(text);
      return { title, folded, passages: passagesOf(text).filter((passage) => folded.includes(passage.text)) };
    });
}

/** The quote that a line states, when one of the sources really says it; undefined for any other line. */
export function quoteOnLine(line: string, sources: readonly Source[]): Quote | undefined {
  if (!line.startsWith("> ")) return undefined;
  for (const source of sources) {
    const end = ` ${citation(source.title)}`;
    if (!line.endsWith(end) || line.length <= 2 + end.length) continue;
    const text = foldWhitespace(line.slice(2, line.length - end.length));
    if (text === "" || !source.folded.includes(text)) continue;
    const passage = source.passages.find((candidate) => candidate.text === text);
    return { text, title: source.title, code: null, order: passage?.order ?? 0, score: 0 };
  }
  return undefined;
}

/** Text that speaks to a model instead of a reader: quoting it would hand it on to the next one. */
const ADDRESSES_THE_WRITER =
  /\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:instructions?|rules|prompts?|previous|above|guidelines|checklist)\b|\bsystem prompt\b|\byou are (?:now |an? )?(?:ai|assistant|language model)\b|\b(?:reply|respond|answer|output|print|write|say) (?:only|exactly|nothing but)\b|\bas an ai\b/i;

/** More than a reader takes in; also what bounds the comparing of each with each. */
const MAX_QUOTES = 40;

/** The share of the best score below which a passage is only near the subject. */
const WORTH_QUOTING = 0.25;

export type Picked = {
  quotes: Quote[];
  /** Titles of memos in which a passage was left out because it addresses the writer. */
  withheld: string[];
};

/**
 * The passages that answer a query best, spread over the memos: the best of each memo first, then more while
 * words are left. At least three memos are quoted when three were loaded, even where they share no word with it.
 */
export function pickQuotes(
  sources: readonly Source[],
  query: Query,
  limits: { words: number; perMemo: number },
): Picked {
  const withheld = new Set<string>();
  const candidates = rankPassages(sources, query).filter(({ source, quote }) => {
    const addresses = ADDRESSES_THE_WRITER.test([quote.text, ...(quote.code?.lines ?? [])].join(" "));
    if (addresses) withheld.add(source.title);
    return !addresses;
  });
  const firsts = new Map<Source, (typeof candidates)[number]>();
  for (const candidate of candidates) {
    if (!firsts.has(candidate.source)) firsts.set(candidate.source, candidate);
  }
  const bar = (candidates[0]?.quote.score ?? 0) * WORTH_QUOTING;
  // Where nothing is looked for (a digest of the week), every memo may say its first sentence.
  const leading = [...firsts.values()].filter(({ quote }, index) => quote.score >= bar || index < 3);
  const more = candidates.filter(({ quote }) => quote.score > 0 && quote.score >= bar);
  const chosen: typeof candidates = [];
  let words = 0;
  for (const candidate of new Set([...leading, ...more])) {
    const cost = wordCount(candidate.quote.text) + wordCount(candidate.quote.code?.lines.join(" ") ?? "");
    const ofMemo = chosen.filter(({ source }) => source === candidate.source).length;
    const repeats = chosen.some((other) => similarity(other.terms, candidate.terms) > 0.6);
    if (repeats || ofMemo >= limits.perMemo || chosen.length >= MAX_QUOTES) continue;
    if (words + cost > limits.words && chosen.length >= 3) continue;
    chosen.push(candidate);
    words += cost;
  }
  return { quotes: chosen.map(({ quote }) => quote), withheld: [...withheld] };
}

/** Every passage with its score, best first; ties keep the order of the parts. */
export function rankPassages(sources: readonly Source[], query: Query) {
  const all = sources.flatMap((source, at) =>
    source.passages.map((passage) => ({ source, passage, at, terms: new Set(termsOf(passage.text)) })),
  );
  const context = all.map(({ source, passage }) => [
    ...termsOf(passage.text),
    ...termsOf(passage.heading),
    ...termsOf(source.title),
    ...termsOf(passage.code?.lines.join(" ") ?? ""),
  ]);
  const relevance = bm25(context, query);
  return all
    .map(({ source, passage, at, terms }, index) => {
      const score = (relevance[index] ?? 0) * form(passage);
      const { text, code, order } = passage;
      return { source, at, terms, quote: { text, title: source.title, code, order, score } };
    })
    .sort((a, b) => b.quote.score - a.quote.score || a.at - b.at || a.quote.order - b.quote.order);
}

/** How well a passage stands alone, whatever it is about. */
function form(passage: Passage): number {
  const words = wordCount(passage.text);
  let factor = passage.order === 0 ? 1.15 : 1;
  if (words < 7) factor *= 0.7;
  if (words > 45) factor *= 0.8;
  if (passage.order > 0 && /^(?:this|it|that|these|those|they|and|but|so|then|also)\b/i.test(passage.text)) {
    factor *= 0.75;
  }
  if (passage.text.endsWith(":")) factor *= passage.code ? 1.1 : 0.4;
  return factor;
}
