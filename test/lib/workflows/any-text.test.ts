import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasErrors } from "../../../lib/workflows/diagnostics.ts";
import { commandOf } from "../../../lib/workflows/command.ts";
import { parseWorkflow } from "../../../lib/workflows/parse.ts";
import { refusalOf } from "../../../lib/core/markdown-cost.ts";
import { TEXT_MAX_COST } from "../../../lib/workflows/sections/section.ts";
import { NOTES, REAL_TEXTS } from "../../support/long-texts.ts";
import { compileCase } from "./case-library.ts";

const EXAMPLES = new URL("../../fixtures/examples/", import.meta.url);
const text = readFileSync(new URL("workflows/1-memo-drafting.md", EXAMPLES), "utf8");
const broken = readFileSync(new URL("bad.md", EXAMPLES), "utf8");

/** Pieces that mean something to Markdown, to the dialect or to nothing. */
const piece = fc.oneof(
  fc.constantFrom(
    "\n",
    "\r",
    "\r\n",
    "\uFEFF",
    "\t",
    "    ",
    "## ",
    "- ",
    "1. ",
    "> ",
    "**",
    "`",
    "```",
    "[[",
    "]]",
    "{{",
    "}}",
    "<!--",
    "-->",
    "---",
    "Policy",
    "Steps",
    "**Approval** ",
    "`auto`",
    "**process** ",
    "`draft` ",
    "json schema",
    "{{steps.x}}",
    "payload.",
    "\0",
    "\uD800",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
);

/** Hundreds of compiles: seconds on a busy machine. */
const PROPERTY_TIMEOUT_MS = 60_000;

describe("whatever the text", () => {
  it(
    "parsing answers with places inside it",
    () => {
      fc.assert(
        fc.property(
          fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join("")),
          (any) => {
            const { diagnostics } = parseWorkflow(any);
            const lines = any.split(/\r\n?|\n/).length;
            for (const { range } of diagnostics) {
              expect(range.start.line).toBeGreaterThanOrEqual(1);
              expect(range.start.column).toBeGreaterThanOrEqual(1);
              expect(range.end.line).toBeLessThanOrEqual(lines);
              expect(range.start.offset).toBeLessThanOrEqual(range.end.offset);
              expect(range.end.offset).toBeLessThanOrEqual(any.length);
            }
            commandOf(any);
          },
        ),
        { numRuns: 500 },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );

  it(
    "an example with parts cut out, doubled and replaced never throws and never compiles by accident",
    async () => {
      const cut = fc.tuple(fc.nat(text.length), fc.nat(60), piece);
      await fc.assert(
        fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 4 }), async (cuts) => {
          let changed = text;
          for (const [at, length, put] of cuts)
            changed = changed.slice(0, at) + put + changed.slice(at + length);
          const compiled = await compileCase(changed);
          expect(compiled.ok).toBe(!hasErrors(compiled.diagnostics));
        }),
        { numRuns: 200 },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );

  it("more than 64 kB is said, not parsed", () => {
    const { diagnostics } = parseWorkflow(text + "é".repeat(32 * 1024));
    expect(diagnostics.map(({ code }) => code)).toEqual(["MW009"]);
  });

  it("never says more than fifty things, and errors come before warnings in what is kept", () => {
    const notes = Array.from({ length: 300 }, (_, index) => `## Note ${index}\n`).join("");
    const { diagnostics } = parseWorkflow(notes + broken);
    expect(diagnostics).toHaveLength(50);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toHaveLength(13);
  });
});

describe("texts that take a Markdown parser long", () => {
  it.each([
    ["quotes in quotes", ">".repeat(60_000), "levels of lists and quotes"],
    ["lists in lists", "- ".repeat(30_000), "levels of lists and quotes"],
    ["stars in a row", `a ${"*".repeat(200)}`, "stars in a row"],
    ["stars and underscores", "a*b_".repeat(16_000), "stars and underscores"],
    ["bullets", "- a\n".repeat(15_000), "list items"],
    ["lines below a quote", `> a\n${"b\n".repeat(30_000)}`, "lines that go on with a list or a quote"],
    ["brackets", "[a]".repeat(20_000), "links"],
    ["definitions", "[a]: b\n\n".repeat(8000), "link definitions"],
    ["empty lines", "\n".repeat(60_000), "lines"],
  ])("%s are refused by what they have too many of", (_, text, what) => {
    const { diagnostics } = parseWorkflow(text);
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["MW010", `The memo has too many ${what} to be a workflow`],
    ]);
  });

  it("the place is the line where it became too much", () => {
    const { diagnostics } = parseWorkflow(`${text}\n## Notes\n\n${"- a\n".repeat(15_000)}`);
    const first = text.split("\n").length + 3;
    expect(diagnostics[0]?.code).toBe("MW010");
    expect(diagnostics[0]?.range.start.line).toBeGreaterThan(first + 500);
    expect(diagnostics[0]?.range.start.line).toBeLessThan(first + 2000);
  });

  it.each(Object.entries(REAL_TEXTS))("no text that people write: %s", (_, text) => {
    expect(parseWorkflow(text).diagnostics.map(({ code }) => code)).not.toContain("MW010");
  });

  it("64 kB of notes cost less than nine tenths of what a workflow may", () => {
    expect(refusalOf(NOTES.slice(0, 64_000), TEXT_MAX_COST * 0.9)).toBe(null);
  });
});
