import { estimateTokens } from "./model.ts";
import { quoteLine, quoteOnLine, type Quote, type Source } from "./quotes.ts";
import { wordCount } from "./terms.ts";

/** A draft as its blocks, so that quotes can be dropped without breaking the Markdown around them. */
export type Draft = {
  title: string;
  /** What stands between the title and the first section. */
  opening: readonly Block[];
  sections: readonly Section[];
};
export type Section = { heading: string; level: number; blocks: readonly Block[] };
export type Block = { kind: "quote"; quote: Quote } | { kind: "text"; text: string };

export const text = (value: string): Block => ({ kind: "text", text: value });
export const quoted = (quote: Quote): Block => ({ kind: "quote", quote });

/** The quotes of a draft in the order in which they stand. */
export const quotesOf = (draft: Draft): Quote[] =>
  [...draft.opening, ...draft.sections.flatMap((section) => section.blocks)].flatMap((block) =>
    block.kind === "quote" ? [block.quote] : [],
  );

/** The draft as Markdown, ending in a line feed. */
export function render(draft: Draft): string {
  const blocks = [
    `# ${draft.title}`,
    ...draft.opening.map(renderBlock),
    ...draft.sections.flatMap((section) => [
      `${"#".repeat(section.level)} ${section.heading}`,
      ...section.blocks.map(renderBlock),
    ]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function renderBlock(block: Block): string {
  if (block.kind === "text") return block.text;
  const { code } = block.quote;
  const line = quoteLine(block.quote);
  return code ? `${line}\n\n\`\`\`${code.language}\n${code.lines.join("\n")}\n\`\`\`` : line;
}

/** The draft without the blocks that fail a test; a section that loses its last quote goes too. */
export function keepBlocks(draft: Draft, keep: (block: Block) => boolean): Draft {
  const sections = draft.sections.flatMap((section) => {
    const blocks = section.blocks.filter(keep);
    const emptied =
      section.blocks.some((block) => block.kind === "quote") &&
      !blocks.some((block) => block.kind === "quote");
    return emptied ? [] : [{ ...section, blocks }];
  });
  return { ...draft, opening: draft.opening.filter(keep), sections };
}

/** The draft with its weakest quotes dropped until it fits; the last quote of a memo goes only when nothing else can. */
export function fit(draft: Draft, limits: { words: number; tokens: number }): Draft {
  let fitted = draft;
  for (;;) {
    const markdown = render(fitted);
    const quotes = quotesOf(fitted);
    if (wordCount(markdown) <= limits.words && estimateTokens(markdown) <= limits.tokens) return fitted;
    if (quotes.length <= 1) return fitted;
    const spare = spareOf(quotes);
    const droppable = (spare.length > 0 ? spare : quotes.slice(1)).toSorted((a, b) => a.score - b.score);
    // One at a time near the limit; a share of them in a draft far above it.
    const weakest = new Set(droppable.slice(0, Math.max(1, Math.floor(droppable.length / 16))));
    fitted = keepBlocks(fitted, (block) => block.kind === "text" || !weakest.has(block.quote));
  }
}

/** The quotes beside the best one of each memo. */
function spareOf(quotes: readonly Quote[]): Quote[] {
  const best = new Map<string, Quote>();
  for (const quote of quotes) {
    const other = best.get(quote.title);
    if (!other || quote.score > other.score) best.set(quote.title, quote);
  }
  return quotes.filter((quote) => best.get(quote.title) !== quote);
}

/** A draft read back from Markdown; a line that only looks like a quote is counted and left out. */
export function parseDraft(
  markdown: string,
  sources: readonly Source[],
): { draft: Draft; unfaithful: number } {
  let title = "";
  let unfaithful = 0;
  const opening: Block[] = [];
  const sections: { heading: string; level: number; blocks: Block[] }[] = [];
  const add = (block: Block) => (sections.at(-1)?.blocks ?? opening).push(block);

  for (const chunk of chunksOf(markdown)) {
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(chunk);
    if (heading && !chunk.includes("\n")) {
      if (title === "" && heading[1] === "#") title = heading[2] ?? "";
      else
        sections.push({ heading: heading[2] ?? "", level: Math.max(2, heading[1]?.length ?? 2), blocks: [] });
      continue;
    }
    if (chunk.startsWith("```") || chunk.startsWith("~~~")) {
      const blocks = sections.at(-1)?.blocks ?? opening;
      const above = blocks.at(-1);
      const code = codeOf(chunk);
      if (/^>/m.test(chunk)) unfaithful++;
      else if (above?.kind === "quote" && !above.quote.code && code) above.quote.code = code;
      else add(text(chunk));
      continue;
    }
    if (!/^\s*>/m.test(chunk)) {
      add(text(chunk));
      continue;
    }
    for (const line of chunk.split("\n")) {
      const quote = quoteOnLine(line, sources);
      if (quote) add(quoted(quote));
      else if (/^\s*>/.test(line)) unfaithful++;
      else add(text(line));
    }
  }
  return { draft: { title, opening, sections }, unfaithful };
}

function codeOf(fence: string): Quote["code"] {
  const match = /^```([\w+#-]*)\n([\s\S]*)\n```$/.exec(fence);
  return match ? { language: match[1] ?? "", lines: (match[2] ?? "").split("\n") } : null;
}

/** Paragraph-like chunks: split at empty lines and headings, a code fence in one piece. */
function chunksOf(markdown: string): string[] {
  const chunks: string[] = [];
  let open: string[] = [];
  let fence: string | undefined;
  const close = () => {
    if (open.length > 0) chunks.push(open.join("\n"));
    open = [];
  };
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    const mark = /^(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      open.push(line);
      if (mark?.startsWith(fence) && line.trim() === mark) {
        fence = undefined;
        close();
      }
    } else if (mark !== undefined) {
      close();
      fence = mark;
      open.push(line);
    } else if (line.trim() === "") close();
    else if (/^#{1,6}\s/.test(line)) {
      close();
      chunks.push(line);
    } else open.push(line);
  }
  close();
  return chunks;
}
