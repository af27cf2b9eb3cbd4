import { truncate } from "../core/text.ts";
import type { Brief } from "./brief.ts";
import { quoted, quotesOf, text, type Block, type Draft, type Section } from "./draft.ts";
import { headingFor } from "./headings.ts";
import type { PromptPart } from "./model.ts";
import { citation, pickQuotes, type Quote, type Source } from "./quotes.ts";
import { contentWords, termsOf } from "./terms.ts";

/** What every offline draft says of itself first. */
export const NOTICE = "An extract of your memos by the offline writer; no language model was used.";
/** Heading of what a reader should know is missing. */
export const GAPS = "What the memos do not say";
/** Heading of the list of memos quoted. */
export const SOURCES = "Sources";
const NOTICE_WITHOUT_MEMOS = "Written from the brief by the offline writer; no language model was used.";

const REASON =
  /\b(?:because|since|so that|so you|otherwise|in order to|that way|reasons?|why|instead of|rather than|prevents?|avoids?|means? that|helps?)\b/i;
const IN_SHORT = 3;

/** A first draft: quotes from the memos in sections, with what the memos do not say. */
export function writeDraft(brief: Brief, sources: readonly Source[], parts: readonly PromptPart[]): Draft {
  const usable = sources.filter(
    (source) => !brief.without.includes(source.title) && source.passages.length > 0,
  );
  if (usable.length === 0) return writeFromBrief(brief, sources, parts);
  const picked = pickQuotes(usable, brief.query, {
    // Headings, titles and the notice take their share of the words.
    words: Math.floor(brief.maxWords * 0.75),
    perMemo: usable.length < 3 ? 8 : 3,
  });
  const body = brief.sections.length > 0 ? asRequested(brief, picked.quotes) : asAnswer(brief, picked.quotes);
  const draft: Draft = { title: brief.topic, opening: [text(NOTICE)], sections: body };
  const open = gaps(brief, usable, quotesOf(draft), picked.withheld);
  const sections = [...body, ...(open.length > 0 ? [open[0]!] : [])];
  return { ...draft, sections: brief.wantsSources ? [...sections, sourcesSection(draft)] : sections };
}

function asAnswer(brief: Brief, quotes: readonly Quote[]): Section[] {
  const short: Quote[] = [];
  for (const quote of quotes) {
    if (short.length < IN_SHORT && !short.some((other) => other.title === quote.title)) short.push(quote);
  }
  const rest = quotes.filter((quote) => !short.includes(quote));
  const reasons = brief.asksWhy ? rest.filter((quote) => REASON.test(quote.text)) : [];
  const more = byMemo(rest.filter((quote) => !reasons.includes(quote)));
  return [
    section("In short", short.map(quoted)),
    section("Why", reasons.map(quoted)),
    section("More from the memos", more.map(quoted)),
  ].filter(({ blocks }) => blocks.length > 0);
}

function asRequested(brief: Brief, quotes: readonly Quote[]): Section[] {
  const under = (heading: string | undefined) =>
    byMemo(quotes.filter((quote) => headingFor(quote.text, brief.sections) === heading)).map(quoted);
  const rest = under(undefined);
  return [
    ...brief.sections.map((heading) => {
      const blocks = under(heading);
      return section(heading, blocks.length > 0 ? blocks : [text("Nothing in the loaded memos fits here.")]);
    }),
    ...(rest.length > 0 ? [section("Not sorted", rest)] : []),
  ];
}

/** Memo by memo in the order of their best quote, each in its own order. */
function byMemo(quotes: readonly Quote[]): Quote[] {
  const titles = [...new Set(quotes.map((quote) => quote.title))];
  return titles.flatMap((title) =>
    quotes.filter((quote) => quote.title === title).sort((a, b) => a.order - b.order),
  );
}

/** What a reader should know is missing: at most one section. */
export function gaps(
  brief: Brief,
  sources: readonly Source[],
  quotes: readonly Quote[],
  withheld: readonly string[],
): Section[] {
  const said = new Set(sources.flatMap((source) => termsOf(`${source.title} ${source.folded}`)));
  const missing = contentWords(brief.question).filter((word) =>
    termsOf(word).every((term) => !said.has(term)),
  );
  const unused = sources.filter(
    (source) =>
      !brief.without.includes(source.title) && !quotes.some((quote) => quote.title === source.title),
  );
  const lines = [
    ...(missing.length > 0
      ? [`- None of the loaded memos has the words: ${missing.slice(0, 8).join(", ")}.`]
      : []),
    ...(unused.length > 0
      ? [
          `- Loaded but not quoted: ${unused
            .slice(0, 12)
            .map((source) => citation(source.title))
            .join(", ")}.`,
        ]
      : []),
    ...(withheld.length > 0
      ? [
          `- Left out, since it speaks to the writer and not to a reader: a passage of ${withheld.map(citation).join(", ")}.`,
        ]
      : []),
  ];
  return lines.length > 0 ? [section(GAPS, [text(lines.join("\n"))])] : [];
}

/** The memos that a draft quotes, each once. */
export function sourcesSection(draft: Draft): Section {
  const titles = [...new Set(quotesOf(draft).map((quote) => quote.title))];
  return section(SOURCES, [text(titles.map((title) => `- ${citation(title)}`).join("\n"))]);
}

/** Without a memo to quote: what was asked, under which rules, and what had to be assumed. */
function writeFromBrief(brief: Brief, sources: readonly Source[], parts: readonly PromptPart[]): Draft {
  const rules = parts.filter((part) => part.kind === "gate" && part.title.trim() !== "");
  const facts = brief.facts.slice(0, 20).map(({ name, text }) => {
    const value = truncate(text.replace(/\s+/g, " ").trim(), 300);
    return `- ${name === "" ? "Brief" : name}: ${value}`;
  });
  const headings = brief.sections.map((heading) =>
    section(heading, [text("To be written; nothing was found. (assumed)")]),
  );
  const assumed = [
    sources.length === 0
      ? "- Nothing in the library is about this, so it rests on the brief alone. (assumed)"
      : `- Nothing can be quoted from ${sources.map((source) => citation(source.title)).join(", ")}, so it rests on the brief alone. (assumed)`,
    ...(brief.facts.length === 0
      ? ["- The brief is empty; the instructions alone say what is wanted. (assumed)"]
      : []),
  ];
  const blocks: Section[] = [
    ...(facts.length > 0 ? [section("What the brief says", [text(facts.join("\n"))])] : []),
    ...headings,
    ...(rules.length > 0
      ? [section("Rules that apply", [text(rules.map((rule) => `- ${citation(rule.title)}`).join("\n"))])]
      : []),
    section("Assumptions", [text(assumed.join("\n"))]),
  ];
  return { title: brief.topic, opening: [text(NOTICE_WITHOUT_MEMOS)], sections: blocks };
}

export function section(heading: string, blocks: readonly Block[]): Section {
  return { heading, level: 2, blocks };
}
