import type { Nodes, Root } from "mdast";
import { fromMarkdown, type Options } from "mdast-util-from-markdown";
import { frontmatterFromMarkdown } from "mdast-util-frontmatter";
import { frontmatter } from "micromark-extension-frontmatter";
import { refusalOf, type Refusal } from "./markdown-cost.ts";
import { parseInPieces } from "./markdown-pieces.ts";

/** A place in a text as its author has it: line and column from 1, `offset` in UTF-16 code units from 0. */
export type Position = { line: number; column: number; offset: number };
export type Range = { start: Position; end: Position };

/** A piece of `Markdown.source`, as offsets. */
export type Span = { start: number; end: number };

/** A parsed text. Nodes and spans have offsets in `source`; `range` turns them into places of the original. */
export type Markdown = {
  /** The text without BOM and with LF line ends: what every way of saving the same text has in common. */
  source: string;
  root: Root;
  /** Why the text was taken as one block of code: it would cost too much to parse. */
  refused: Refusal | null;
  range(span: Span): Range;
};

/** About a second of a busy processor. */
const DEFAULT_BUDGET = 1_000_000;

/**
 * Parses CommonMark with front matter. The one parser of compile, preview and display, so that what is
 * shown is what was compiled. Never throws; a text that would cost more than the budget is not parsed. What a
 * display reads `also` may not change where blocks that are not its own begin and end.
 */
export function parseMarkdown(original: string, budget = DEFAULT_BUDGET, also: Syntax = {}): Markdown {
  const source = normalised(original);
  const range = rangesOver(original, source);
  const refused = refusalOf(source, budget);
  if (refused) return { source, root: asCode(source), refused, range };
  try {
    return { source, root: parse(source, also), refused: null, range };
  } catch {
    // The parser promises never to throw; a stack that is too small for the nesting is the known exception.
    const refused: Refusal = { tooMany: "levels of lists and quotes", at: 0 };
    return { source, root: asCode(source), refused, range };
  }
}

/** Extensions of the parser, and of what makes a tree of its tokens. */
export type Syntax = Pick<Options, "extensions" | "mdastExtensions">;

function parse(source: string, also: Syntax): Root {
  const extensions = [frontmatter(), ...(also.extensions ?? [])];
  const mdastExtensions = [frontmatterFromMarkdown(), ...(also.mdastExtensions ?? [])];
  return parseInPieces(source, (piece) => fromMarkdown(piece, { extensions, mdastExtensions }));
}

/** The offsets of a node that came out of the parser. */
export function spanOf(node: Nodes): Span {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

/** The parser skips these too, but without counting them in its offsets. */
const bomLength = (original: string): number => /^\uFEFF*/.exec(original)?.[0].length ?? 0;

function normalised(original: string): string {
  const text = original.slice(bomLength(original));
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

function asCode(source: string): Root {
  const lines = source.split("\n");
  const start = { line: 1, column: 1, offset: 0 };
  const end = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, offset: source.length };
  const position = { start, end };
  return { type: "root", children: [{ type: "code", value: source, position }], position };
}

function rangesOver(original: string, source: string): (span: Span) => Range {
  let lines: { start: number; shift: number }[] | undefined;
  const position = (offset: number): Position => {
    lines ??= linesOf(original, source);
    const index = lineAt(lines, offset);
    const line = lines[index] ?? { start: 0, shift: 0 };
    return { line: index + 1, column: offset - line.start + 1, offset: offset + line.shift };
  };
  return ({ start, end }) => ({ start: position(start), end: position(end) });
}

/** The last line that starts at or before an offset. */
function lineAt(lines: readonly { start: number }[], offset: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lines[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where each line starts in `source`, and how far before its place in the original that is. */
function linesOf(original: string, source: string): { start: number; shift: number }[] {
  const lines: { start: number; shift: number }[] = [];
  let shift = bomLength(original);
  for (let start = 0; ;) {
    lines.push({ start, shift });
    const end = source.indexOf("\n", start);
    if (end === -1) return lines;
    if (original[end + shift] === "\r" && original[end + shift + 1] === "\n") shift += 1;
    start = end + 1;
  }
}
