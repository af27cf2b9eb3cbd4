import type { Nodes, Root, RootContent } from "mdast";

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
  let last: Root;
  for (;;) {
    const end = boundaryFrom(source, Math.max(start + length, start === 0 ? afterFrontMatter(source) : 0));
    const piece = source.slice(start, end);
    last = parse(piece);
    if (end < source.length && mayBeOpen(last.children.at(-1), piece)) {
      // Growing by a factor keeps the sum of all attempts below twice the text.
      length = 4 * piece.length;
      continue;
    }
    if (start > 0) for (const node of last.children) shift(node, start, line);
    for (const node of last.children) children.push(node);
    if (end === source.length) break;
    start = end;
    line += piece.split("\n").length - 1;
    length = PIECE_MIN_LENGTH;
  }
  const end = last.position?.end ?? { line: 1, column: 1 };
  const position = {
    start: { line: 1, column: 1, offset: 0 },
    end: { line: end.line + line, column: end.column, offset: source.length },
  };
  return { type: "root", children, position };
}

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

/** Whether the last block of a piece took the empty lines after it, as a fence without its end does. */
function mayBeOpen(node: RootContent | undefined, piece: string): boolean {
  // Their last line may end in spaces, and an empty line ends them.
  if (!node || node.type === "paragraph" || node.type === "heading") return false;
  // The parser still reads what follows code by indent as if it went on with it.
  if (node.type === "code" && !/[`~]/.test(piece[node.position?.start.offset ?? 0] ?? "")) return true;
  let end = piece.length;
  while (/[ \t\n]/.test(piece[end - 1] ?? "")) end -= 1;
  return (node.position?.end.offset ?? 0) > end;
}

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
