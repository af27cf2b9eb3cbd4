import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasErrors } from "../../../lib/workflows/diagnostics.ts";
import { commandOf } from "../../../lib/workflows/command.ts";
import { parseWorkflow } from "../../../lib/workflows/parse.ts";
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

describe("texts that take a Markdown parser minutes", () => {
  it.each([
    ["quotes in quotes", ">".repeat(60_000)],
    ["lists in lists", "- ".repeat(30_000)],
    [
      "lists in lists by indent",
      Array.from({ length: 200 }, (_, depth) => `${" ".repeat(depth)}- a`).join("\n"),
    ],
    ["thousands of bullets", "- a\n".repeat(15_000)],
    ["stars and underscores", "*_".repeat(30_000)],
    ["brackets", "[a]".repeat(20_000)],
  ])("%s are refused", (_, any) => {
    expect(parseWorkflow(any).diagnostics.map(({ code }) => code)).toEqual(["MW010"]);
  });
});
