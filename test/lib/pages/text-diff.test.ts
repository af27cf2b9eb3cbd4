import { describe, expect, test } from "vitest";
import { TextDiff } from "../../../lib/pages/text-diff.tsx";
import { textChanges, type Row } from "../../../lib/pages/text-diff-rows.ts";

const html = async (before: string, after: string): Promise<string> =>
  String(await TextDiff({ before, after }));
const lines = (count: number, of = (n: number) => `line ${n}`): string =>
  Array.from({ length: count }, (_, n) => `${of(n)}\n`).join("");
const rowsOf = (before: string, after: string): Row[] =>
  (textChanges(before, after).parts ?? []).flatMap(({ rows }) => rows);
/** What the rows of one side spell. */
const side = (rows: readonly Row[], kind: "gone" | "new"): string =>
  rows
    .filter((row) => row.kind === "same" || row.kind === kind)
    .map(({ pieces }) => `${pieces.map(({ text }) => text).join("")}\n`)
    .join("");

describe("what became of a text", () => {
  test("is both texts whole: what is kept and gone spells the old, what is kept and new the other", () => {
    const words = ["alpha", "beta", "gamma", "delta", "", "- a [ ] list", "alpha beta"];
    let seed = 7;
    const next = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    for (let time = 0; time < 300; time++) {
      const before = lines(next(30), () => `${words[next(7)]} ${words[next(7)]}`);
      const after = before
        .split("\n")
        .flatMap((line) => (next(4) === 0 ? [] : next(4) === 0 ? [line, words[next(7)]!] : [line]))
        .join("\n");
      const rows = rowsOf(before, after);
      const whole = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
      expect([side(rows, "gone"), side(rows, "new")]).toEqual([whole(before), whole(after)]);
    }
  });

  test("marks the words of a changed line and not the line", async () => {
    const shown = await html("- Slack mirror, autumn\n", "- Slack mirror, September\n");
    expect(shown).toContain("<del>autumn</del>");
    expect(shown).toContain("<ins>September</ins>");
    expect(shown).toContain("mirror, <ins>");
  });

  test("keeps three lines around a change and folds the others, which can be unfolded", async () => {
    const before = lines(100);
    const shown = await html(before, before.replace("line 50\n", "line fifty\n"));
    expect(shown).toMatch(/<summary>… 47 unchanged lines<\/summary>/);
    expect(shown).toMatch(/<summary>… 46 unchanged lines<\/summary>/);
    const { parts } = textChanges(before, before.replace("line 50\n", "line fifty\n"));
    expect(parts?.map(({ folded, rows }) => [folded, rows.length])).toEqual([
      [true, 47],
      [false, 8],
      [true, 46],
    ]);
  });

  test("finds a line that was put between others, whatever else stands twice", () => {
    const rows = rowsOf("a\n\nb\n\nc\n", "a\n\nb\n\nnew\n\nc\n");
    expect(rows.filter(({ kind }) => kind === "gone")).toEqual([]);
    expect(rows.filter(({ kind }) => kind === "new")).toHaveLength(2);
  });

  test("says that the last line has lost its end", async () => {
    expect(await html("a\n", "a")).toContain("The new text has no line end at its very end");
    expect(await html("a", "a\n")).toContain("The text before had no line end at its very end");
    expect(await html("a\n", "a\n")).toContain("the same, byte for byte");
  });
});

describe("what a person sees of it", () => {
  test("escapes every text, and shows what would be invisible by its number", async () => {
    const shown = await html("", '<script>alert(1)</script>\nright\u202Eleft\u200B "quoted"\r\n');
    expect(shown).not.toContain("<script");
    expect(shown).toContain("right\\u202eleft\\u200b");
    expect(shown).toContain("\\u000d");
    expect(shown).not.toMatch(/[\u202E\u200B]/);
  });

  test("has a bound for any pair of 500 KB, and says what it leaves out", async () => {
    const old = lines(10_000, (n) => `the old line number ${n} is about things that were`);
    const pairs: [after: string, says: RegExp][] = [
      [
        lines(10_000, (n) => `another text ${n * 7} of all that has come since then`),
        /too different to compare/,
      ],
      [old.replaceAll(/7 is/g, "7 was"), /more changed lines are not shown/],
      [old.replace("number 500 is", "number 500 was"), /unchanged lines/],
      [lines(10_000, (n) => `line ${(n * 7) % 100} of things`), /too different to compare/],
    ];
    for (const [after, says] of pairs) {
      const shown = await html(old, after);
      expect(shown).toMatch(says);
      expect(shown.length).toBeLessThan(300_000);
    }
    expect(
      await html(
        lines(10_000, (n) => `line ${n % 90}`),
        lines(10_000, (n) => `line ${n % 70}`),
      ),
    ).toMatch(/more changed lines are not shown/);
  });
});
