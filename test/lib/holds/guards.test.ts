import { describe, expect, test } from "vitest";
import { changedShare, maxChange } from "../../../lib/holds/max-change.ts";
import { keepHeadings, linksResolve } from "../../../lib/holds/text-guards.ts";

const words = (count: number, word = "w"): string =>
  Array.from({ length: count }, (_, n) => `${word}${n}`).join(" ");

describe("max-change", () => {
  test.each([
    ["the same text", "a b c d", "a b c d", 0],
    ["only white space", "a b\nc   d", "a b c\nd", 0],
    ["one word of four", "a b c d", "a b x d", 0.25],
    ["half taken away", "a b c d", "a b", 0.5],
    ["as much again appended", "a b c d", "a b c d e f g h", 0.5],
    ["everything", "a b c d", "e f", 1],
    ["all moved about but one", "a b c d", "d c b a", 0.75],
    ["from nothing", "", "a b", 1],
    ["to nothing", "a b", "", 1],
    ["nothing at all", "", "", 0],
  ])("%s", (_name, base, text, share) => {
    expect(changedShare(base, text)).toBeCloseTo(share, 10);
  });

  test("passes at the limit and fails above it, and says both figures", () => {
    const base = words(10);
    expect(maxChange(base, base.replace("w3", "x").replace("w4", "x"), "20%").passed).toBe(true);
    expect(maxChange(base, base.replace("w3", "x").replace("w4", "x"), "19%")).toEqual({
      guard: "max-change",
      passed: false,
      message: "20% of the words change; at most 19% may",
    });
    expect(maxChange(base, words(10, "x"), null).passed).toBe(false);
  });

  test("a new memo has nothing to change", () => {
    expect(maxChange(null, words(5), "1%").passed).toBe(true);
  });

  test("a text of 2 MB is compared in under two seconds", () => {
    const started = performance.now();
    const share = changedShare(words(150_000), words(150_000, "x"));
    expect(share).toBe(1);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("keep-headings", () => {
  const base = "# One\n\ntext\n\n## Two\n\n## Two\n\n```\n# not one\n```\n";

  test("passes when every heading is there, wherever and at whatever level", () => {
    expect(keepHeadings(base, "## Two\n\n# Two\n\nOne\n===\n\n# More\n").passed).toBe(true);
  });

  test("fails when one is gone, also one of two that are alike, and names it", () => {
    expect(keepHeadings(base, "# One\n\n## Two\n")).toEqual({
      guard: "keep-headings",
      passed: false,
      message: 'lost "Two"',
    });
    expect(keepHeadings(base, "## Two\n\n## Two\n\n`# One`\n\n```\n# One\n```\n").message).toBe('lost "One"');
  });

  test("a heading in code is no heading, and a new memo has none to keep", () => {
    expect(keepHeadings(base, "# One\n## Two\n## Two\n").passed).toBe(true);
    expect(keepHeadings(null, "").passed).toBe(true);
  });

  test("what cannot be parsed does not pass", () => {
    expect(keepHeadings(base, `${base}${">".repeat(30_000)}`).passed).toBe(false);
  });
});

describe("links-resolve", () => {
  const library = new Set(["House style", "memo_1"]);
  const check = (text: string, title = "Mine") =>
    linksResolve({ title, text }, async (ref) => library.has(ref));

  test("passes when every title and id names a memo, with a label too, and the memo itself", async () => {
    expect((await check("See [[House style]], [[House  style|how]], [[memo_1]] and [[Mine]].")).passed).toBe(
      true,
    );
    expect((await check("No link at all, and [one](x).")).passed).toBe(true);
  });

  test("fails when one does not, and names it", async () => {
    expect(await check("See [[House style]] and [[Nowhere]] and [[Nowhere]].")).toEqual({
      guard: "links-resolve",
      passed: false,
      message: "no memo is named [[Nowhere]]",
    });
    expect((await check("[[a]] [[b]] [[c]] [[d]]")).message).toBe(
      "no memo is named [[a]], [[b]], [[c]] and 1 more",
    );
  });

  test("a link in code is no link", async () => {
    expect((await check("`[[Nowhere]]`\n\n```\n[[Nowhere]]\n```\n\n    [[Nowhere]]\n")).passed).toBe(true);
  });

  test("what cannot be parsed does not pass", async () => {
    expect((await check(">".repeat(30_000))).passed).toBe(false);
  });
});
