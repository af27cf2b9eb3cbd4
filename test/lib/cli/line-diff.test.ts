import * as fc from "fast-check";
import { createColors } from "picocolors";
import { describe, expect, test } from "vitest";
import { changeSize, diffLines, diffView } from "../../../lib/cli/line-diff.ts";

const text = (lines: readonly string[]): string => lines.join("\n");

describe("a diff of lines", () => {
  test("gives both texts back", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(`${text(before)}\n`, `${text(after)}\n`);
        const of = (kind: "added" | "removed") =>
          diff.filter((line) => line.kind === "same" || line.kind === kind).map((line) => line.text);
        expect(of("removed")).toEqual(before.length === 0 ? [""] : before);
        expect(of("added")).toEqual(after.length === 0 ? [""] : after);
      }),
    );
  });

  test("changes no more than it must", () => {
    expect(changeSize(diffLines("a\nb\nc\n", "a\nx\nc\nd\n"))).toBe("+2 −1");
    expect(changeSize(diffLines("", "a\nb"))).toBe("+2 −0");
    expect(diffLines("same\n", "same\n")).toEqual([{ kind: "same", text: "same" }]);
  });

  test("stays fast on large texts that have nothing in common", () => {
    const many = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word} ${n}`).join("\n");
    expect(changeSize(diffLines(many("a"), many("b")))).toBe("+20000 −20000");
  });

  test("is shown with a little of what is around it, and printably", () => {
    const before = Array.from({ length: 20 }, (_, n) => `line ${n}`);
    const after = before.with(10, "line \u001B[2J ten");
    const shown = diffView(diffLines(text(before), text(after)), createColors(false));
    expect(shown[0]).toBe("@@ 7 unchanged @@");
    expect(shown).toContain("- line 10");
    expect(shown).toContain("+ line \\u001b[2J ten");
    expect(shown.at(-1)).toBe("@@ 6 unchanged @@");
  });
});
