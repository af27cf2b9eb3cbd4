import type { Code, Nodes, Paragraph } from "mdast";
import { parseMarkdown, spanOf } from "../core/markdown.ts";
import { foldWhitespace, truncate } from "../core/text.ts";

/** One sentence or list line of a memo, exactly as written but for folded white space. */
export type Passage = {
  text: string;
  /** The nearest heading above it; empty under none. */
  heading: string;
  /** Place among the memo's passages, from 0. */
  order: number;
  /** The short code block that the sentence leads to, when one follows it directly. */
  code: { language: string; lines: readonly string[] } | null;
};

/** How much of a memo is read for passages: about 15k tokens, more than a search hands over. */
const MAX_READ_CHARS = 60_000;
/** A longer paragraph is data, and the splitting of sentences compares within one. */
const MAX_PARAGRAPH_CHARS = 8_000;
const MAX_CHARS = 420;
const MIN_WORDS = 4;
const MAX_CODE_LINES = 6;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs|ms|st|\p{L}|\d+)\.$/iu;

/**
 * The passages of a memo that may be quoted: sentences of its paragraphs and list lines. Code, headings, tables,
 * HTML, pictures and block quotes are left out, since a part of one does not mean what the whole does.
 */
export function passagesOf(markdown: string): Passage[] {
  const { source, root } = parseMarkdown(truncate(markdown, MAX_READ_CHARS));
  const passages: Passage[] = [];
  let heading = "";

  const visit = (children: readonly Nodes[]): void => {
    // Where the passages of the block just above begin, so that a code block joins its own lead-in only.
    let leadIn: number | undefined;
    for (const node of children) {
      const from = passages.length;
      if (node.type === "heading") heading = foldWhitespace(raw(source, node).replace(/^#+|#+$/g, ""));
      else if (node.type === "paragraph") {
        for (const text of sentencesOf(source, node)) {
          passages.push({ text, heading, order: passages.length, code: null });
        }
      } else if (node.type === "code" && leadIn !== undefined) attach(passages, node);
      else if (node.type === "list" || node.type === "listItem") visit(node.children);
      leadIn = node.type === "paragraph" && passages.length > from ? from : undefined;
    }
  };
  visit(root.children);
  return passages;
}

function raw(source: string, node: Nodes): string {
  const { start, end } = spanOf(node);
  return source.slice(start, end);
}

function attach(passages: Passage[], node: Code): void {
  const last = passages.at(-1);
  const lines = node.value.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  // A code line that looks like a quote line, or that would end the fence, cannot stand in a draft.
  const safe = lines.every((line) => !/^\s*>/.test(line) && !line.includes("```") && line.length <= 120);
  if (last && safe && lines.length <= MAX_CODE_LINES && lines.some((line) => line !== "")) {
    last.code = { language: /^[\w+#-]{1,20}$/.exec(node.lang ?? "")?.[0] ?? "", lines };
  }
}

function sentencesOf(source: string, paragraph: Paragraph): string[] {
  const { start } = spanOf(paragraph);
  const text = raw(source, paragraph);
  if (text.length > MAX_PARAGRAPH_CHARS) return [];
  if (/^\s*\|/m.test(text) || /^[\s:|-]*-\|-[\s:|-]*$/m.test(text)) return [];
  if (paragraph.children.some((child) => child.type === "html" || child.type === "image")) return [];
  if (paragraph.children.every((child) => child.type === "link" || raw(source, child).trim() === ""))
    return [];

  // A full stop inside a link, code or emphasis does not end a sentence that could stand alone.
  const closed = paragraph.children.filter((child) => child.type !== "text").map(spanOf);
  const sentences: string[] = [];
  let from = 0;
  for (const match of text.matchAll(/[.!?]+["'”’)\]]*(?=\s+[\p{Lu}\p{N}`"'“‘([*_])/gu)) {
    const end = match.index + match[0].length;
    const at = start + match.index;
    const inside = closed.some((span) => at > span.start && at < span.end - 1);
    if (inside || ABBREVIATION.test(text.slice(Math.max(from, end - 12), end))) continue;
    sentences.push(text.slice(from, end));
    from = end;
  }
  sentences.push(text.slice(from));
  return sentences.map(foldWhitespace).filter(isQuotable);
}

/** Whether a text still means the same alone on a quote line. */
function isQuotable(text: string): boolean {
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0;
  const bare = text.replace(/\]\([^)]*\)|<?https?:\/\/\S+/g, "");
  return (
    text.length <= MAX_CHARS &&
    bare.split(" ").length >= MIN_WORDS &&
    letters / text.length >= 0.55 &&
    // Block markers at the start would make the quote another block; control characters are never text.
    !/^(?:[>#|{[+*-](?:\s|$)|\d+[.)]\s|\{|\[[ x]\]\s|```|~~~)/i.test(text) &&
    !/\p{Cc}/u.test(text) &&
    (text.match(/`/g)?.length ?? 0) % 2 === 0
  );
}
