import { diffArrays, diffWordsWithSpace } from "diff";
import { anchorsOf } from "./text-diff-anchors.ts";
import { likestPairs } from "./text-diff-pairs.ts";

/** A stretch of a changed line: kept, or in one of the two texts alone. */
export type Piece = { text: string; changed: boolean };
/** One line: in both texts, or in one of them; with its number in each. */
export type Row = {
  kind: "same" | "gone" | "new";
  before: number | null;
  after: number | null;
  pieces: readonly Piece[];
};
/** Lines to show, or unchanged ones to fold. */
export type Part = { folded: boolean; rows: readonly Row[] };
export type TextChanges = {
  /** Null where the two are too different to say which line became which. */
  parts: readonly Part[] | null;
  added: number;
  removed: number;
  /** Which of the two has no line end behind its last line, where only one has. */
  openEnd: "before" | "after" | null;
};

/** More edits than these, and finding the fewest takes too long: its time grows with their square. */
const MAX_EDITS = 150;
const MAX_EDITS_OF_ALL = 300;
/** So many lines without a single one in common are two texts and not one that was changed. */
const MAX_APART = 400;
/** Words are compared in lines no longer than this, and in no more of one text than that. */
const MAX_WORDY_LINE = 4000;
const MAX_WORDY = 16_000;
const MAX_WORD_EDITS = 200;
/** Lines of a block that are looked at for which became which. */
const MAX_PAIRS = 1600;
const CONTEXT = 3;

/** What became of a text, line by line, and word by word where a line was changed. Bounded: see the limits. */
export function textChanges(before: string, after: string): TextChanges {
  const [old, now] = [linesOf(before), linesOf(after)];
  const openEnd = old.open === now.open ? null : old.open ? "before" : "after";
  const blocks = blocksOf(old.lines, now.lines);
  if (!blocks) return { parts: null, added: now.lines.length, removed: old.lines.length, openEnd };
  const rows: Row[] = [];
  const budget = { left: MAX_WORDY };
  let [added, removed] = [0, 0];
  let [b, a] = [0, 0];
  for (const { same, gone, fresh } of blocks) {
    for (const text of same) rows.push({ kind: "same", before: ++b, after: ++a, pieces: whole(text, false) });
    for (const { left, right } of pairs(gone, fresh, budget)) {
      const words = left !== undefined && right !== undefined ? wordsOf(left, right, budget) : undefined;
      if (left !== undefined) {
        rows.push({ kind: "gone", before: ++b, after: null, pieces: words?.gone ?? whole(left, true) });
      }
      if (right !== undefined) {
        rows.push({ kind: "new", before: null, after: ++a, pieces: words?.fresh ?? whole(right, true) });
      }
    }
    added += fresh.length;
    removed += gone.length;
  }
  return { parts: fold(rows), added, removed, openEnd };
}

const whole = (text: string, changed: boolean): Piece[] => [{ text, changed }];

function linesOf(text: string): { lines: string[]; open: boolean } {
  if (text === "") return { lines: [], open: false };
  const lines = text.split("\n");
  const open = lines.at(-1) !== "";
  if (!open) lines.pop();
  return { lines, open };
}

type Block = { same: readonly string[]; gone: readonly string[]; fresh: readonly string[] };

/** Unchanged lines, and behind them those that took each other's place; undefined when nothing is left to hold on to. */
function blocksOf(old: readonly string[], now: readonly string[]): Block[] | undefined {
  const anchors = anchorsOf(old, now);
  if (anchors.length === 0 && old.length > 0 && now.length > 0 && old.length + now.length > MAX_APART) {
    return undefined;
  }
  const edits = { left: MAX_EDITS_OF_ALL };
  const blocks: Block[] = [];
  let [i, j] = [0, 0];
  for (const [left, right] of [...anchors, [old.length, now.length] as const]) {
    if (left > i || right > j) blocks.push(...between(old.slice(i, left), now.slice(j, right), edits));
    if (left < old.length) blocks.push({ same: [old[left]!], gone: [], fresh: [] });
    [i, j] = [left + 1, right + 1];
  }
  return blocks;
}

/** The fewest edits between two anchors, where finding them is quick. */
function between(old: string[], now: string[], edits: { left: number }): Block[] {
  const gap = { same: [], gone: old, fresh: now };
  if (old.length === 0 || now.length === 0 || edits.left <= 0) return [gap];
  const known = new Set(old);
  if (!now.some((line) => known.has(line))) return [gap];
  const changes = diffArrays(old, now, { maxEditLength: Math.min(MAX_EDITS, edits.left) });
  edits.left -= changes ? edited(changes) : MAX_EDITS;
  if (!changes) return [gap];
  const blocks: Block[] = [];
  for (const { value, added, removed } of changes) {
    const last = blocks.at(-1) ?? { same: [], gone: [], fresh: [] };
    if (removed) blocks.splice(-1, 1, { ...last, gone: value });
    else if (added) blocks.splice(-1, 1, { ...last, fresh: value });
    else blocks.push({ same: value, gone: [], fresh: [] });
  }
  return blocks;
}

const edited = (changes: readonly { count: number; added: boolean; removed: boolean }[]): number =>
  changes.reduce((sum, { count, added, removed }) => sum + (added || removed ? count : 0), 0);

/** Which of the new lines came of which old one: the likest in their order, the others alone. */
function pairs(
  gone: readonly string[],
  fresh: readonly string[],
  budget: { left: number },
): { left?: string; right?: string }[] {
  if (budget.left < 0 || gone.length === 0 || fresh.length === 0 || gone.length * fresh.length > MAX_PAIRS) {
    return [...gone.map((left) => ({ left })), ...fresh.map((right) => ({ right }))];
  }
  const best = likestPairs(gone, fresh, MAX_WORDY_LINE);
  const paired: { left?: string; right?: string }[] = [];
  let [i, j] = [0, 0];
  for (const [left, right] of [...best, [gone.length, fresh.length] as const]) {
    while (i < left) paired.push({ left: gone[i++]! });
    while (j < right) paired.push({ right: fresh[j++]! });
    if (i < gone.length && j < fresh.length) paired.push({ left: gone[i++]!, right: fresh[j++]! });
  }
  return paired;
}

function wordsOf(
  left: string,
  right: string,
  budget: { left: number },
): { gone: Piece[]; fresh: Piece[] } | undefined {
  if (left.length > MAX_WORDY_LINE || right.length > MAX_WORDY_LINE) return undefined;
  budget.left -= left.length + right.length;
  if (budget.left < 0) return undefined;
  const changes = diffWordsWithSpace(left, right, { maxEditLength: MAX_WORD_EDITS });
  if (!changes) return undefined;
  const piece = ({ value, added, removed }: (typeof changes)[number]) => ({
    text: value,
    changed: added || removed,
  });
  return {
    gone: changes.filter(({ added }) => !added).map(piece),
    fresh: changes.filter(({ removed }) => !removed).map(piece),
  };
}

/** Keeps the lines around each change and folds the rest; a fold of one line would save nothing. */
function fold(rows: readonly Row[]): Part[] {
  const near = new Uint8Array(rows.length);
  for (const [at, { kind }] of rows.entries()) {
    if (kind !== "same") near.fill(1, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  }
  const parts: { folded: boolean; rows: Row[] }[] = [];
  for (const [at, row] of rows.entries()) {
    const folded = near[at] === 0;
    const last = parts.at(-1);
    if (last?.folded === folded) last.rows.push(row);
    else parts.push({ folded, rows: [row] });
  }
  return parts.map((part) => ({ ...part, folded: part.folded && part.rows.length > 1 }));
}
