import { readFileSync, readdirSync } from "node:fs";
import * as fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { frontmatterFromMarkdown } from "mdast-util-frontmatter";
import { frontmatter } from "micromark-extension-frontmatter";
import { describe, expect, it } from "vitest";
import { parseInPieces } from "../../../lib/core/markdown-pieces.ts";
import { markdownText } from "../../support/markdown-text.ts";

const parse = (text: string) =>
  fromMarkdown(text, { extensions: [frontmatter()], mdastExtensions: [frontmatterFromMarkdown()] });

const NOTES = new URL("../../fixtures/til/", import.meta.url);
const notes = readdirSync(NOTES, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md"))
  .map((path) => readFileSync(new URL(path, NOTES), "utf8"))
  .join("\n");

/** Long enough for more than one piece. */
const FILLER = `${"Some words that fill a line of a memo. ".repeat(40)}\n\n`;

describe("a text parsed in pieces has the tree of the whole", () => {
  it("with the notes of a real library", () => {
    let pieces = 0;
    const inPieces = parseInPieces(notes, (piece) => {
      pieces += 1;
      return parse(piece);
    });
    expect(inPieces).toEqual(parse(notes));
    expect(pieces).toBeGreaterThan(20);
  });

  it.each([
    ["a fence that holds empty lines", `${FILLER}~~~\n${FILLER}# not a heading\n\n~~~\n\nafter\n`],
    ["a fence that never ends", `\`\`\`\n${FILLER.repeat(4)}`],
    ["a fence in a list", `- \`\`\`\n${FILLER}  - a\n\n${FILLER}`],
    ["a comment over empty lines", `<!--\n\n${FILLER}- **Approval** \`auto\`\n\n${FILLER}-->\n\nafter\n`],
    ["a list over empty lines", `${FILLER}- a\n\n${FILLER.replaceAll("Some", "- Some")}- b\n\n1. c\n\n`],
    ["front matter over empty lines", `---\na: 1\n\n${FILLER}b: 2\n---\n\n${FILLER}---\n\nc\n`],
    ["a link defined at the other end", `${FILLER}[a] and [b][]\n\n${FILLER}[a]: /x\n> [b]: /y\n`],
    ["a label over two lines", `${FILLER}[a b]\n\n${FILLER}[a\nb]: /x\n`],
    ["a BOM where a piece starts", `${FILLER}${FILLER}\uFEFFa\n\n${FILLER}`],
  ])("with %s", (_, text) => {
    expect(parseInPieces(text, parse)).toEqual(parse(text));
  });

  it("with any text", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(markdownText, fc.constant(FILLER)), { maxLength: 12 }), (parts) => {
        const text = parts
          .join("")
          .replace(/^\uFEFF+/, "")
          .replace(/\r\n?/g, "\n");
        expect(parseInPieces(text, parse)).toEqual(parse(text));
      }),
      { numRuns: Number(process.env["CASES"] ?? 150) },
    );
  });
});

it("the parser is given at most three times the text, however often a piece has to grow", () => {
  const text = `\`\`\`\n${FILLER.repeat(40)}`;
  let given = 0;
  parseInPieces(text, (piece) => {
    given += piece.length;
    return parse(piece);
  });
  expect(given).toBeLessThan(3 * text.length);
});
