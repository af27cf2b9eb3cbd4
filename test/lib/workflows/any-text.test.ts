import { readFileSync, readdirSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasErrors, type Diagnostic } from "../../../lib/workflows/diagnostics.ts";
import { commandOf } from "../../../lib/workflows/command.ts";
import { parseWorkflow } from "../../../lib/workflows/parse.ts";
import { refusalOf } from "../../../lib/core/markdown-cost.ts";
import { TEXT_MAX_COST } from "../../../lib/workflows/sections/section.ts";
import { markdownPiece, markdownText } from "../../support/markdown-text.ts";
import { HOSTILE_TEXTS, NOTES, REAL_TEXTS } from "../../support/long-texts.ts";
import { compileCase } from "./case-library.ts";

const EXAMPLES = new URL("../../fixtures/examples/", import.meta.url);
const text = readFileSync(new URL("workflows/1-memo-drafting.md", EXAMPLES), "utf8");
const broken = readFileSync(new URL("bad.md", EXAMPLES), "utf8");

/** CASES=10000 runs them all; fast-check prints the seed of a failure. */
const CASES = Number(process.env["CASES"] ?? 2000);
const share = (part: number) => ({ numRuns: Math.ceil(CASES * part) });
/** Thousands of compiles: minutes on a busy machine. */
const TIMEOUT_MS = 600_000;

const any = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("utf8")),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(markdownPiece, { maxLength: 80 }).map((pieces) => pieces.join("")),
);

const EXAMPLE_TEXTS = [
  ...readdirSync(new URL("workflows/", EXAMPLES)).map((file) => `workflows/${file}`),
  "bad.md",
].map((path) => readFileSync(new URL(path, EXAMPLES), "utf8"));

/** A text with parts cut out, doubled, moved and replaced. */
const mutated = fc
  .tuple(
    fc.constantFrom(...EXAMPLE_TEXTS),
    fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(80), fc.option(markdownPiece)), {
      minLength: 1,
      maxLength: 5,
    }),
  )
  .map(([start, changes]) =>
    changes.reduce((text, [place, length, put]) => {
      const at = Math.floor(place * text.length);
      const part = text.slice(at, at + length);
      const rest = text.slice(0, at) + text.slice(at + length);
      return put === null ? rest + part + part : text.slice(0, at) + put + text.slice(at + length);
    }, start),
  );

function expectSound(text: string, diagnostics: readonly Diagnostic[]): void {
  expect(diagnostics.length).toBeLessThanOrEqual(50);
  const lines = text.split(/\r\n?|\n/).length;
  let before = 0;
  for (const { range, message, related, fix } of diagnostics) {
    expect(range.start.offset).toBeGreaterThanOrEqual(before);
    before = range.start.offset;
    const places = [
      range,
      ...(related ?? []).map((note) => note.range),
      ...(fix?.edits ?? []).map((edit) => edit.range),
    ];
    for (const { start, end } of places) {
      expect(start.line).toBeGreaterThanOrEqual(1);
      expect(start.column).toBeGreaterThanOrEqual(1);
      expect(end.line).toBeLessThanOrEqual(lines);
      expect(start.offset).toBeLessThanOrEqual(end.offset);
      expect(end.offset).toBeLessThanOrEqual(text.length);
    }
    expect(message.length).toBeLessThanOrEqual(500);
  }
}

async function expectAnswer(text: string): Promise<void> {
  const compiled = await compileCase(text);
  expect(compiled.ok).toBe(!hasErrors(compiled.diagnostics));
  expectSound(text, compiled.diagnostics);
  expectSound(text, parseWorkflow(text).diagnostics);
  commandOf(text);
}

describe("whatever the text, compiling answers, by place, at most fifty times, with places inside it", () => {
  it.each([
    ["any bytes", any, 0.3],
    ["any Markdown", markdownText, 0.4],
    ["an example that was changed", mutated, 0.3],
  ])(
    "%s",
    async (_, texts, part) => {
      await fc.assert(fc.asyncProperty(texts, expectAnswer), share(part));
    },
    TIMEOUT_MS,
  );

  it("more than 64 kB is said, not parsed (MW009)", () => {
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
    ["runs of backticks without their like", HOSTILE_TEXTS["backticks of every length"], "backticks"],
    ["runs that get shorter", HOSTILE_TEXTS["backticks of every length, falling"], "backticks"],
    ["runs in a step", HOSTILE_TEXTS["backticks of every length in a step"], "backticks"],
    ["exclamation marks", "!".repeat(60_000), "exclamation marks"],
  ])("%s are refused by what they have too many of", (_, text = "", what) => {
    const { diagnostics } = parseWorkflow(text);
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["MW010", `The memo has too many ${what} to be a workflow`],
    ]);
  });

  it("many steps are said once, not each for what it lacks", () => {
    const { diagnostics } = parseWorkflow(HOSTILE_TEXTS["400 steps of an example"] ?? "");
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["MW309", "There are at most 13 steps"],
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
