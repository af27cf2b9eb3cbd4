import { describe, expect, test } from "vitest";
import { printable, printableInLine } from "../../../lib/core/printable.ts";

describe("a reader sees every character of a text", () => {
  test.each([
    ["an escape sequence", "\u001B[2Jgone", "\\u001b[2Jgone"],
    ["a title of the terminal", "\u001B]0;owned\u0007", "\\u001b]0;owned\\u0007"],
    ["a C1 control", "\u009B31m", "\\u009b31m"],
    ["a carriage return", "seen\rhidden", "seen\\u000dhidden"],
    ["a byte order mark", "a\uFEFFb", "a\\ufeffb"],
    ["a soft hyphen", "a\u00ADb", "a\\u00adb"],
    ["an Arabic letter mark", "a\u061Cb", "a\\u061cb"],
    ["zero-width characters", "a\u200B\u200C\u200Db", "a\\u200b\\u200c\\u200db"],
    ["a word joiner and invisible operators", "\u2060\u2061\u2064", "\\u2060\\u2061\\u2064"],
    ["overrides of the direction", "\u202E\u2066\u2069", "\\u202e\\u2066\\u2069"],
    ["tag characters", "a\u{E0041}\u{E007F}", "a\\udb40\\udc41\\udb40\\udc7f"],
    ["line ends that are none on a terminal", "a\u2028b\u2029", "a\\u2028b\\u2029"],
    ["a filler that looks like a space", "a\u3164b\u115F", "a\\u3164b\\u115f"],
    ["variation selectors that carry data", "a\uFE01\u{E0100}", "a\\ufe01\\udb40\\udd00"],
    ["half of a character", "a\uD83Db", "a\\ud83db"],
  ])("%s", (_name, text, shown) => expect(printable(text)).toBe(shown));

  test("and plain text, lines, tabs, accents and drawn emoji stay as they are", () => {
    const text = "Grüße\tan «alle»,\r\n\n日本語 עברית العربية 👍🏽 ☂️ 1️⃣";
    expect(printable(text)).toBe(text);
    // One selector draws the emoji; a second one would hide something.
    expect(printable("☂️\uFE0F")).toBe("☂️\\ufe0f");
  });

  test("a JSON document with such texts stays the same document", () => {
    const value = { text: "a\u200B\u{E0041}\u009B\u{1F468}\u200D\u{1F469}b" };
    expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value);
  });

  test("a file's name stays in its line", () => {
    expect(printableInLine("a\n::error::b\u001B.md")).toBe("a\\u000a::error::b\\u001b.md");
  });
});
