import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasMarks, mergeTexts } from "../../../lib/holds/merge.ts";

const lines = (...list: string[]) => `${list.join("\n")}\n`;
const base = lines("# Title", "", "one", "two", "three", "four", "five");

describe("a three-way merge", () => {
  test("takes both sides' changes where they do not touch", () => {
    const theirs = base.replace("one", "ONE");
    const draft = base.replace("five", "FIVE");
    expect(mergeTexts({ base, theirs, draft }, 2)).toEqual({
      text: lines("# Title", "", "ONE", "two", "three", "four", "FIVE"),
      conflicts: 0,
    });
  });

  test("a change that both made is one change, not a conflict", () => {
    const both = base.replace("three", "3");
    expect(mergeTexts({ base, theirs: both, draft: both }, 2)).toEqual({ text: both, conflicts: 0 });
    const theirs = both.replace("one", "1");
    expect(mergeTexts({ base, theirs, draft: both }, 2)).toEqual({ text: theirs, conflicts: 0 });
  });

  test("shows all three sides of what both changed, and counts it", () => {
    const theirs = base.replace("three", "theirs");
    const draft = base.replace("three", "draft").replace("one", "ONE");
    const { text, conflicts } = mergeTexts({ base, theirs, draft }, 4);
    expect(conflicts).toBe(1);
    expect(text).toBe(
      lines(
        "# Title",
        "",
        "ONE",
        "two",
        "<<<<<<< version 4, as the memo is now",
        "theirs",
        "||||||| as both found it",
        "three",
        "=======",
        "draft",
        ">>>>>>> the draft",
        "four",
        "five",
      ),
    );
    expect(hasMarks(text, 4)).toBe(true);
    expect(hasMarks(lines("<<<<<<< HEAD", "a", "=======", "b", ">>>>>>> main"), 4)).toBe(false);
  });

  test("keeps a last line with or without its end, and other line ends, byte for byte", () => {
    const sides = { base: "a\nb\nc", theirs: "a\nb\nc\n", draft: "x\nb\nc" };
    expect(mergeTexts(sides, 2)).toEqual({ text: "x\nb\nc\n", conflicts: 0 });
    const dos = { base: "a\r\nb\r\nc\r\n", theirs: "a\r\nb\r\nC\r\n", draft: "x\r\nb\r\nc\r\n" };
    expect(mergeTexts(dos, 2)).toEqual({ text: "x\r\nb\r\nC\r\n", conflicts: 0 });
  });

  test("of texts that would take minutes to compare is one whole conflict", () => {
    const long = (word: string) => Array.from({ length: 15_000 }, (_, n) => `${word} ${n % 7}`).join("\n");
    const started = performance.now();
    const merged = mergeTexts({ base: long("a"), theirs: long("b"), draft: long("c") }, 2);
    expect(merged.conflicts).toBe(1);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("loses nothing: a side that did not change gives the other side's text", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "", "c\r"), { maxLength: 12 })
      .map((list) => list.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(mergeTexts({ base: before, theirs: before, draft: after }, 1).text).toBe(after);
        expect(mergeTexts({ base: before, theirs: after, draft: before }, 1).text).toBe(after);
      }),
    );
  });
});
