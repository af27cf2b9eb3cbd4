import type { Nodes, Root, RootContent } from "mdast";
import type { Position } from "unist";

/** Pieces are at least this long: below it a parse costs more to start than to run. */
const PIECE_MIN_LENGTH = 1500;

/**
 * Parses a text piece by piece, with the same tree as in one go: the parser's cost per character grows with
 * the length of what it is given. A piece ends before a line where nothing before it can still be open.
 */
export function parseInPieces(source: string, parse: (text: string) => Root): Root {
  if (source.length < 2 * PIECE_MIN_LENGTH || DEFINITION.test(source)) return parse(source);
  const children: RootContent[] = [];
  let start = 0;
  let line = 0;
  let length = PIECE_MIN_LENGTH;
  for (;;) {
    const end = boundaryFrom(source, Math.max(start + length, start === 0 ? afterFrontMatter(source) : 0));
    const piece = source.slice(start, end);
    const root = parse(piece);
    const isLast = end === source.length;
    const count = isLast ? root.children.length : countSettled(root.children, piece);
    const settled = root.children.slice(0, count);
    const open = root.children[count];
    if (start > 0) for (const node of settled) shift(node, start, line);
    for (const node of settled) children.push(node);
    if (isLast) return { type: "root", children, position: whole(source, root, line) };
    // A block that is still open starts the next piece; alone in its piece it is given more and more, by a
    // factor, so that the sum of all attempts stays below twice the text.
    const next = open ? lineStart(piece, startOf(open)) : piece.length;
    length = count === 0 && open ? 4 * piece.length : Math.max(PIECE_MIN_LENGTH, piece.length - next);
    line += piece.slice(0, next).split("\n").length - 1;
    start += next;
  }
}

function whole(source: string, last: Root, line: number): Position {
  const end = last.position?.end ?? { line: 1, column: 1 };
  return {
    start: { line: 1, column: 1, offset: 0 },
    end: { line: end.line + line, column: end.column, offset: source.length },
  };
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1;

/** What may define a link: then brackets anywhere in the text depend on it. */
const DEFINITION = /^[ \t>*+\-\d.)]*\[(?:[^[\]\\]|\\[\s\S]){1,1000}\]:/m;

/** Where, after an empty line, anything but a bullet starts: it closes every list, quote and paragraph. */
const FRESH_LINE = /\n\n(?![\s-]|[+*](?:\s|$)|\d{1,9}[.)](?:\s|$))/g;

function boundaryFrom(source: string, from: number): number {
  if (from >= source.length) return source.length;
  FRESH_LINE.lastIndex = from;
  const match = FRESH_LINE.exec(source);
  return match ? match.index + 2 : source.length;
}

function afterFrontMatter(source: string): number {
  if (!source.startsWith("---")) return 0;
  const close = /\n---[ \t]*(?:\n|$)/.exec(source);
  return close ? close.index + close[0].length : 0;
}

/** How many blocks of a piece are the same whatever follows it. */
function countSettled(blocks: readonly RootContent[], piece: string): number {
  const last = blocks.at(-1);
  // The parser reads what follows code by indent as if it went on with it.
  if (isIndented(last, piece)) return 0;
  if (!isOpen(last, piece)) return blocks.length;
  // A list or a quote is not read in the same way at the start of a text as after something else.
  const restarts = last?.type === "html" || last?.type === "code";
  return restarts && !isIndented(blocks.at(-2), piece) ? blocks.length - 1 : 0;
}

/** Whether a block took the empty lines after it, as a fence without its end does. */
function isOpen(block: RootContent | undefined, piece: string): boolean {
  // Of these the last line may end in spaces, and an empty line ends them.
  if (!block || block.type === "paragraph" || block.type === "heading") return false;
  let last = piece.length;
  while (/[ \t\n]/.test(piece[last - 1] ?? "")) last -= 1;
  return (block.position?.end.offset ?? 0) > last;
}

const startOf = (block: RootContent): number => block.position?.start.offset ?? 0;

const isIndented = (block: RootContent | undefined, piece: string): boolean =>
  block?.type === "code" && !/[`~]/.test(piece[startOf(block)] ?? "");

function shift(node: Nodes, offset: number, line: number): void {
  const { position } = node;
  if (position) {
    position.start.offset = (position.start.offset ?? 0) + offset;
    position.start.line += line;
    position.end.offset = (position.end.offset ?? 0) + offset;
    position.end.line += line;
  }
  if ("children" in node) for (const child of node.children) shift(child, offset, line);
}
