import type { Diagnostic, Severity } from "../workflows/diagnostics.ts";

/** A line of a text, and what there is to say of it. */
export type ListedLine = { number: number; text: string; said: readonly Diagnostic[] };

/** A text by its lines; each diagnostic belongs to the line where its range begins. */
export function linesOf(text: string, diagnostics: readonly Diagnostic[]): ListedLine[] {
  const byLine = Map.groupBy(diagnostics, ({ range }) => range.start.line);
  // Of a BOM there is nothing to see, and places are counted with it.
  return text
    .split(/\r\n?|\n/)
    .map((line, at) => ({ number: at + 1, text: line, said: byLine.get(at + 1) ?? [] }));
}

export type Piece = { text: string; marked: Severity | null };

const WEIGHT = { error: 0, warning: 1, info: 2 } as const;

/** A line in pieces, those marked that something is said of; where two overlap the worse one counts. */
export function piecesOf({ number, text, said }: ListedLine, max: number): Piece[] {
  const end = Math.min(text.length, max);
  const ranges = said.map(({ range, severity }) => ({
    severity,
    from: Math.min(range.start.column - 1, end),
    to: range.end.line === number ? Math.min(range.end.column - 1, end) : end,
  }));
  const cuts = [...new Set([0, end, ...ranges.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((from, at) => {
    const to = cuts[at + 1] ?? end;
    const over = ranges.filter((range) => range.from <= from && to <= range.to);
    const [worst] = over.sort((a, b) => WEIGHT[a.severity] - WEIGHT[b.severity]);
    return { text: text.slice(from, to), marked: worst?.severity ?? null };
  });
}

/** The lines that a fix touches, as they are after it. */
export function fixedLines(text: string, edits: NonNullable<Diagnostic["fix"]>["edits"]): string {
  const inOrder = [...edits].sort((a, b) => b.range.start.offset - a.range.start.offset);
  const first = inOrder.at(-1)?.range.start.offset ?? 0;
  const last = inOrder[0]?.range.end.offset ?? 0;
  const start = Math.max(text.lastIndexOf("\n", first - 1), text.lastIndexOf("\r", first - 1)) + 1;
  const ending = /[\r\n]/g;
  ending.lastIndex = last;
  const end = ending.exec(text)?.index ?? text.length;
  let fixed = text.slice(0, end);
  for (const { range, text: fresh } of inOrder)
    fixed = fixed.slice(0, range.start.offset) + fresh + fixed.slice(range.end.offset);
  return fixed.slice(start);
}
