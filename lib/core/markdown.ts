import type { Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { frontmatterFromMarkdown } from "mdast-util-frontmatter";
import { frontmatter } from "micromark-extension-frontmatter";

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
  /** The text could cost minutes to parse, so it was taken as one block of code. */
  refused: boolean;
  range(span: Span): Range;
};

/**
 * Parses CommonMark with front matter. The one parser of compile, preview and display, so that what is
 * shown is what was compiled. Never throws.
 */
export function parseMarkdown(original: string): Markdown {
  const source = normalised(original);
  const range = rangesOver(original, source);
  if (costsTooMuch(source)) return { source, root: asCode(source), refused: true, range };
  try {
    return { source, root: parse(source), refused: false, range };
  } catch {
    // The parser promises never to throw; a stack that is too small for the nesting is the known exception.
    return { source, root: asCode(source), refused: true, range };
  }
}

const EXTENSIONS = { extensions: [frontmatter()], mdastExtensions: [frontmatterFromMarkdown()] };
const parse = (source: string): Root => fromMarkdown(source, EXTENSIONS);

/** The offsets of a node that came out of the parser. */
export function spanOf(node: Nodes): Span {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

const BOM = "\uFEFF";

function normalised(original: string): string {
  const text = original.startsWith(BOM) ? original.slice(1) : original;
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

function asCode(source: string): Root {
  const lines = source.split("\n");
  const start = { line: 1, column: 1, offset: 0 };
  const end = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, offset: source.length };
  const position = { start, end };
  return { type: "root", children: [{ type: "code", value: source, position }], position };
}

// The parser's cost grows with the square of these, by measure: 64 KB of `>`, of one-letter bullets or of
// `[a]` take it minutes. At the limits a text takes well under a second.
const MAX_NESTING = 24;
const MAX_INDENT = 120;
const MAX_BULLETS = 2000;
const MAX_QUOTE_MARKS = 20_000;
const MAX_BRACKETS_IN_BLOCK = 1000;
const LONG_RUN = /[*_]{100}/;

const CONTAINER = /([ \t]*)(?:(>)|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$))/my;
const BLANK_LINE = /[ \t]*(?:\n|$)/y;

function costsTooMuch(source: string): boolean {
  if (LONG_RUN.test(source)) return true;
  let bullets = 0;
  let quoteMarks = 0;
  let brackets = 0;
  for (let start = 0; start <= source.length;) {
    CONTAINER.lastIndex = start;
    let depth = 0;
    for (let match = CONTAINER.exec(source); match; match = CONTAINER.exec(source)) {
      if (++depth > MAX_NESTING || (match[1] ?? "").length > MAX_INDENT) return true;
      if (match[2]) quoteMarks += 1;
      else bullets += 1;
    }
    const newline = source.indexOf("\n", start);
    const end = newline === -1 ? source.length : newline;
    BLANK_LINE.lastIndex = start;
    if (BLANK_LINE.test(source)) brackets = 0;
    for (let at = source.indexOf("[", start); at !== -1 && at < end; at = source.indexOf("[", at + 1))
      brackets += 1;
    if (bullets > MAX_BULLETS || quoteMarks > MAX_QUOTE_MARKS || brackets > MAX_BRACKETS_IN_BLOCK)
      return true;
    start = end + 1;
  }
  return false;
}

function rangesOver(original: string, source: string): (span: Span) => Range {
  let lines: { start: number; shift: number }[] | undefined;
  const position = (offset: number): Position => {
    lines ??= linesOf(original, source);
    const index = lines.findLastIndex((line) => line.start <= offset);
    const line = lines[index] ?? { start: 0, shift: 0 };
    return { line: index + 1, column: offset - line.start + 1, offset: offset + line.shift };
  };
  return ({ start, end }) => ({ start: position(start), end: position(end) });
}

/** Where each line starts in `source`, and how far before its place in the original that is. */
function linesOf(original: string, source: string): { start: number; shift: number }[] {
  const lines: { start: number; shift: number }[] = [];
  let shift = original.startsWith(BOM) ? 1 : 0;
  for (let start = 0; ;) {
    lines.push({ start, shift });
    const end = source.indexOf("\n", start);
    if (end === -1) return lines;
    if (original[end + shift] === "\r" && original[end + shift + 1] === "\n") shift += 1;
    start = end + 1;
  }
}
