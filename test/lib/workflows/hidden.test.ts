import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseWorkflow } from "../../../lib/workflows/parse.ts";

const EXAMPLES = new URL("../../fixtures/examples/workflows/", import.meta.url);
const text = readFileSync(new URL("1-memo-drafting.md", EXAMPLES), "utf8");

const span = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const HIDDEN = [
  0x00ad,
  0x061c,
  0xfeff,
  ...span(0x200b, 0x200d),
  ...span(0x202a, 0x202e),
  ...span(0x2060, 0x2064),
  ...span(0x2066, 0x2069),
  ...span(0xe0000, 0xe007f),
  // What Unicode calls ignorable beside these, controls, and signs that are drawn as nothing.
  0x034f,
  0x115f,
  0x17b4,
  0x180e,
  0x200e,
  0x200f,
  0x206a,
  0x2800,
  0x3164,
  0xfe00,
  0xffa0,
  0xfff9,
  0xe0101,
  0x1d173,
  0x0007,
  0x0085,
];

/** Where a hidden character may stand: each puts it after the text given. */
const PLACES: Record<string, string> = {
  "the title": "# Memo",
  "the preamble": "One queued",
  "a heading": "## Load",
  "a key": "- **Appr",
  "the summary": "Drafts one",
  "an input": "what the memo",
  "a memo's title": "[[House",
  "a reason": "voice, length",
  "a pattern": "(term",
  "a step's name": "**process** `dra",
  "a step's instructions": "Write the",
  "a template": "{{payload.aud",
  "an option": "`mark",
  "a value": "`ho",
};

const saidOf = (body: string) =>
  parseWorkflow(body).diagnostics.map(({ code, range }) => [
    code,
    body.slice(range.start.offset, range.end.offset),
  ]);

describe("a hidden character is an error with its place and its name, and nothing else is said of it", () => {
  it.each(Object.entries(PLACES))("in %s", (_, before) => {
    expect(text).toContain(before);
    const points = before === "Write the" ? HIDDEN : [0x00ad, 0x200b, 0x200d, 0x202e, 0xe0041];
    for (const point of points) {
      const character = String.fromCodePoint(point);
      const body = text.replace(before, () => `${before}${character} `);
      expect(saidOf(body)).toEqual([["MW013", character]]);
      const { message } = parseWorkflow(body).diagnostics[0] ?? {};
      expect(message).toContain(`U+${point.toString(16).toUpperCase().padStart(4, "0")} `);
    }
  });

  it("in a section of notes and in a comment too", () => {
    for (const below of ["\n## Notes\n\nSay \u202Eti", "\n<!-- \u{E0041} -->\n"]) {
      expect(saidOf(text + below).map(([code]) => code)).toContain("MW013");
    }
  });

  it("is said once a line", () => {
    const { diagnostics } = parseWorkflow(
      text.replace("Write the", "Write \u202Eth\u202Ce\n   a\u200B b\u200B c\u200B"),
    );
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "A hidden character stands here: U+202E RIGHT-TO-LEFT OVERRIDE, and 1 more on this line",
      "A hidden character stands here: U+200B ZERO WIDTH SPACE, and 2 more on this line",
    ]);
  });
});

describe("where writing has hidden characters", () => {
  it.each([
    ["emoji that are joined", "👩‍💻 👩🏽‍🚀 🏳️‍🌈 ❤️‍🔥"],
    ["flags of letters", "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"],
    ["variants and accents", "❤️ 1️⃣ e\u0301"],
  ])("%s pass", (_, words) => {
    expect(saidOf(text.replace("Write the", `Write ${words} the`))).toEqual([]);
  });

  it.each([
    ["a soft hyphen in a word", "Donau\u00ADdampf"],
    ["a joiner between letters that need it", "می\u200Cخواهم"],
    ["the variant of an ideograph", "葛\u{E0100}城"],
  ])("%s is a warning", (_, words) => {
    expect(saidOf(text.replace("Write the", `Write ${words} the`)).map(([code]) => code)).toEqual(["MW014"]);
  });

  it("a soft hyphen in a key is a warning beside the error of the key", () => {
    const codes = saidOf(text.replace("**Approval**", "**Appro\u00ADval**")).map(([code]) => code);
    expect(codes.toSorted()).toEqual(["MW014", "MW401"]);
  });
});
