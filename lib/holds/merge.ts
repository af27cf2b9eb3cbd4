import { diff3Merge } from "node-diff3";

/** Three texts of one zone: what the draft was made on, what is there now, and the draft. */
export type Sides = { base: string; theirs: string; draft: string };
export type Merged = { text: string; conflicts: number };

/** Above this many pairs of lines what differs is one conflict: the comparison would take minutes. */
const MAX_PAIRS = 100_000_000;

/**
 * A three-way merge by lines, byte for byte where nobody disagrees. What both changed stands between marks, with what
 * it was before, so that a person can choose.
 */
export function mergeTexts({ base, theirs, draft }: Sides, version: number): Merged {
  if (theirs === base || theirs === draft) return { text: draft, conflicts: 0 };
  if (draft === base) return { text: theirs, conflicts: 0 };
  const [o, a, b] = [linesOf(base), linesOf(theirs), linesOf(draft)];
  const marks = marksOf(version);
  if (o.length * Math.max(a.length, b.length) > MAX_PAIRS) {
    return { text: marked({ o, a, b }, marks).join("\n"), conflicts: 1 };
  }
  let conflicts = 0;
  const lines = diff3Merge(a, o, b, { excludeFalseConflicts: true }).flatMap(({ ok, conflict }) => {
    if (!conflict) return ok ?? [];
    conflicts++;
    return marked(conflict, marks);
  });
  return { text: lines.join("\n"), conflicts };
}

/** Whether a text still has marks that a merge onto this version left in it. */
export function hasMarks(text: string, version: number): boolean {
  const marks: ReadonlySet<string> = new Set([marksOf(version).theirs, marksOf(version).end]);
  return linesOf(text).some((line) => marks.has(line));
}

// A last line without its end is a line as well: joined again the bytes are the same.
const linesOf = (text: string): string[] => text.split("\n");

const marksOf = (version: number) => ({
  theirs: `<<<<<<< version ${version}, as the memo is now`,
  base: "||||||| as both found it",
  draft: "=======",
  end: ">>>>>>> the draft",
});

const marked = (
  { a, o, b }: { a: readonly string[]; o: readonly string[]; b: readonly string[] },
  marks: ReturnType<typeof marksOf>,
): string[] => [marks.theirs, ...a, marks.base, ...o, marks.draft, ...b, marks.end];
