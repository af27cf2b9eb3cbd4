import type { Brief } from "./brief.ts";
import { fit, keepBlocks, parseDraft, quoted, quotesOf, text, type Draft } from "./draft.ts";
import type { PromptPart } from "./model.ts";
import { citation, pickQuotes, quoteLine, rankPassages, type Quote, type Source } from "./quotes.ts";
import { similarity } from "./rank.ts";
import { termsOf } from "./terms.ts";
import { GAPS, gaps, NOTICE, SOURCES, section, sourcesSection, writeDraft } from "./write-draft.ts";

const MIN_MEMOS = 3;
/** Quotes that each quote is compared with, so that a huge draft stays cheap. */
const MAX_COMPARED = 300;

/**
 * An earlier draft made better where that can be done without a model: repeats and unfaithful quotes go, memos
 * that were loaded but not cited come in, the length keeps to the limit, gaps and sources are named.
 */
export function reviseDraft(
  markdown: string,
  brief: Brief,
  sources: readonly Source[],
  parts: readonly PromptPart[],
): Draft {
  // A reviewer's reason changes what is looked for, so the memos are read again instead of trimming the old draft.
  const parsed = brief.sentBack
    ? { draft: writeDraft(brief, sources, parts), unfaithful: 0 }
    : parseDraft(markdown, sources);
  let draft = scoreQuotes(parsed.draft, brief, sources);
  const done: string[] = brief.sentBack ? ["written again for the reviewer's reason"] : [];
  if (parsed.unfaithful > 0) done.push(`${counted(parsed.unfaithful, "quote")} that no memo holds dropped`);

  const unique = dropRepeats(draft);
  const repeats = quotesOf(draft).length - quotesOf(unique).length;
  if (repeats > 0) done.push(`${counted(repeats, "repeat")} dropped`);
  draft = keepBlocks(unique, (block) => block.kind === "text" || !brief.without.includes(block.quote.title));

  if (draft.title === "") {
    draft = { ...draft, title: brief.topic };
    done.push("a heading added");
  }
  const added = missingMemos(draft, brief, sources);
  if (added.length > 0) {
    draft = { ...draft, sections: [...draft.sections, section("Also in the memos", added.map(quoted))] };
    done.push(`${counted(added.length, "memo")} added that had not been quoted`);
  }
  if (quotesOf(draft).length === 0 && draft.sections.length === 0 && draft.opening.length === 0) {
    return writeDraft(brief, sources, parts);
  }
  const own = draft.sections.filter(({ heading }) => heading !== SOURCES && heading !== GAPS);
  // Sources, gaps and the notice are written after the cut, so room is left for them.
  const whole = quotesOf(draft).length;
  draft = fit({ ...draft, sections: own }, { words: Math.max(40, brief.maxWords - 70), tokens: Infinity });
  const cut = whole - quotesOf(draft).length;
  if (cut > 0) done.push(`${counted(cut, "quote")} cut to keep to ${brief.maxWords} words`);

  const withheld = pickQuotes(sources, brief.query, { words: 0, perMemo: 1 }).withheld;
  const closing = [
    ...gaps(brief, sources, quotesOf(draft), withheld),
    ...(quotesOf(draft).length > 0 ? [sourcesSection(draft)] : []),
  ];
  if (!parsed.draft.sections.some(({ heading }) => heading === SOURCES)) done.push("sources listed");
  return {
    ...draft,
    opening: [text(noticeOf(parts, done)), ...draft.opening.filter((block) => !isNotice(block))],
    sections: [...draft.sections, ...closing],
  };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const isNotice = (block: Draft["opening"][number]): boolean =>
  block.kind === "text" && block.text.startsWith(NOTICE);

function noticeOf(parts: readonly PromptPart[], done: readonly string[]): string {
  const hooks = parts.filter((part) => part.kind === "hook" && part.title.trim() !== "");
  const against = hooks.length > 0 ? ` against ${hooks.map((hook) => citation(hook.title)).join(", ")}` : "";
  const changes = done.length > 0 ? done.join(", ") : "nothing had to change";
  return `${NOTICE} Checked${against}: ${changes}.`;
}

/** The draft's quotes with their relevance, so that a cut takes the weakest. */
function scoreQuotes(draft: Draft, brief: Brief, sources: readonly Source[]): Draft {
  const scores = new Map<string, number>();
  for (const { quote } of rankPassages(sources, brief.query)) scores.set(quoteLine(quote), quote.score);
  const known = (quote: Quote): Quote => ({ ...quote, score: scores.get(quoteLine(quote)) ?? 0 });
  const blocks = (list: Draft["opening"]) =>
    list.map((block) => (block.kind === "quote" ? quoted(known(block.quote)) : block));
  return {
    ...draft,
    opening: blocks(draft.opening),
    sections: draft.sections.map((part) => ({ ...part, blocks: blocks(part.blocks) })),
  };
}

function dropRepeats(draft: Draft): Draft {
  const exact = new Set<string>();
  const near: ReadonlySet<string>[] = [];
  return keepBlocks(draft, (block) => {
    const line = block.kind === "quote" ? block.quote.text : block.text;
    if (exact.has(line)) return false;
    exact.add(line);
    if (block.kind === "text") return true;
    const terms = new Set(termsOf(line));
    if (near.some((other) => similarity(other, terms) > 0.8)) return false;
    if (near.length < MAX_COMPARED) near.push(terms);
    return true;
  });
}

/** The best quote of loaded memos that the draft leaves out, until three memos are quoted. */
function missingMemos(draft: Draft, brief: Brief, sources: readonly Source[]): Quote[] {
  const cited = new Set(quotesOf(draft).map((quote) => quote.title));
  const rest = sources.filter((source) => !cited.has(source.title) && !brief.without.includes(source.title));
  const best = pickQuotes(rest, brief.query, { words: 200, perMemo: 1 }).quotes;
  return best.slice(0, Math.max(0, MIN_MEMOS - cited.size));
}
