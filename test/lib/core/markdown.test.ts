import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMarkdown, spanOf } from "../../../lib/core/markdown.ts";

describe("places are those of the text as it was given", () => {
  it.each([
    ["LF", "a\n\n## B\n", 3],
    ["CRLF", "a\r\n\r\n## B\r\n", 5],
    ["lone CR", "a\r\r## B\r", 3],
    ["BOM and CRLF", "\uFEFFa\r\n\r\n## B", 6],
    ["two BOMs", "\uFEFF\uFEFFa\n\n## B", 5],
  ])("%s", (_, text, offset) => {
    const markdown = parseMarkdown(text);
    const heading = markdown.root.children[1];
    if (!heading) throw new Error("no heading");
    const { start, end } = markdown.range(spanOf(heading));
    expect(start).toEqual({ line: 3, column: 1, offset });
    expect(end).toEqual({ line: 3, column: 5, offset: offset + 4 });
    expect(text.slice(start.offset, end.offset)).toBe("## B");
  });

  it("whatever the line ends, the offset is where the same character stands", () => {
    const chunk = fc.constantFrom("a", "\n", "\r", "\r\n", "é", "🎉");
    fc.assert(
      fc.property(fc.boolean(), fc.array(chunk, { maxLength: 40 }), (bom, chunks) => {
        const text = (bom ? "\uFEFF" : "") + chunks.join("");
        const markdown = parseMarkdown(text);
        const found = Array.from({ length: markdown.source.length }, (_, at) => {
          const { offset } = markdown.range({ start: at, end: at }).start;
          return text[offset] === "\r" ? "\n" : text[offset];
        });
        expect(found.join("")).toBe(markdown.source);
      }),
    );
  });
});

it("front matter is not text", () => {
  expect(parseMarkdown("---\na: 1\n---\n# B\n").root.children.map(({ type }) => type)).toEqual([
    "yaml",
    "heading",
  ]);
});

it("a text that would take too long is one block of code", () => {
  const markdown = parseMarkdown(">".repeat(1000));
  expect(markdown.refused).toEqual({ tooMany: "levels of lists and quotes", at: 0 });
  expect(markdown.root.children).toMatchObject([{ type: "code", value: ">".repeat(1000) }]);
});
