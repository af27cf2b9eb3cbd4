import { printable } from "../core/printable.ts";
import type { Terminal } from "./terminal.ts";

export type Line = { kind: "same" | "added" | "removed"; text: string };

/** Cells of the table that is filled; above it the middle is shown as one whole change. */
const MAX_CELLS = 4_000_000;

/** What turns one text into another, line by line, by the longest common subsequence. */
export function diffLines(before: string, after: string): Line[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail += 1;
  return [
    ...as("same", a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...as("same", a.slice(a.length - tail)),
  ];
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

const as = (kind: Line["kind"], lines: readonly string[]): Line[] => lines.map((text) => ({ kind, text }));

function middle(a: readonly string[], b: readonly string[]): Line[] {
  if (a.length * b.length > MAX_CELLS) return [...as("removed", a), ...as("added", b)];
  // common[i][j]: length of the longest common subsequence of a from i and b from j.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i]![j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i]! });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ kind: "removed", text: a[i++]! });
    else lines.push({ kind: "added", text: b[j++]! });
  }
  return [...lines, ...as("removed", a.slice(i)), ...as("added", b.slice(j))];
}

/** Lines around a change that are shown with it. */
const AROUND = 3;

/** The changes with what stands around them; what is far from any is left out and counted. */
export function diffView(lines: readonly Line[], c: Terminal["colours"]): string[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== "same"),
  );
  const shown: string[] = [];
  let left = 0;
  for (const [at, { kind, text }] of lines.entries()) {
    if (!near[at]) {
      left += 1;
      continue;
    }
    if (left > 0) shown.push(c.dim(`@@ ${left} unchanged @@`));
    left = 0;
    const line = printable(text);
    shown.push(kind === "same" ? `  ${line}` : kind === "added" ? c.green(`+ ${line}`) : c.red(`- ${line}`));
  }
  if (left > 0) shown.push(c.dim(`@@ ${left} unchanged @@`));
  return shown;
}

/** `+18 −2`. */
export function changeSize(lines: readonly Line[]): string {
  const of = (kind: Line["kind"]): number => lines.filter((line) => line.kind === kind).length;
  return `+${of("added")} −${of("removed")}`;
}
