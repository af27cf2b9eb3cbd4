import { keptInOrder } from "./max-change.ts";

/** How large a proposal is: words that it writes, and lines that it adds to and takes from what is there. */
export type ChangeSize = { words: number; added: number; removed: number };

/** The size of writing a text over another, or of a new one. Moved lines count as both. */
export function changeSize(base: string | null, text: string): ChangeSize {
  const after = linesOf(text);
  const words = text.split(/\s+/).filter((word) => word !== "").length;
  if (base === null) return { words, added: after.length, removed: 0 };
  const before = linesOf(base);
  const kept = keptInOrder(before, after);
  return { words, added: after.length - kept, removed: before.length - kept };
}

/** A last line with or without its end is one line; an empty text has none. */
const linesOf = (text: string): string[] => {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
};
