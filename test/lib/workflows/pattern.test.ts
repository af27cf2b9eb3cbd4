import { describe, expect, it } from "vitest";
import { matchesPattern, patternFault } from "../../../lib/workflows/pattern.ts";

describe("a pattern that may be slow is refused", () => {
  it.each([
    "(a+)+$",
    "(a*)*",
    "(a|b)+",
    "([a-z]+)*x",
    "(?:a{2,})+",
    "((a+)b?)+",
    "(a)\\1",
    "(?<x>a)\\k<x>",
    "a*b*c*d*e*",
    ".*.*.*.*",
    "a{1,50}b{1,50}c{1,50}d{1,50}",
    "(a+){2}",
    "x".repeat(201),
  ])("%s", (pattern) => expect(patternFault(pattern, "")).toBe("slow"));
});

it.each([
  "(term|glossary|definition)",
  "^\\d{4}-\\d{2}$",
  "colou?r",
  "[a+]+",
  "\\(a+\\)",
  "(?:ab)?c+",
  "(abc)+",
  "a.*b",
])("%s may be run", (pattern) => expect(patternFault(pattern, "i")).toBe(null));

it.each([
  ["(", ""],
  ["[", ""],
  ["a", "g"],
  ["a", "y"],
  ["a", "ii"],
])("%s with flags %j is not a pattern", (pattern, flags) =>
  expect(patternFault(pattern, flags)).toBe("invalid"),
);

it("a pattern that may not be run matches nothing", () =>
  expect(matchesPattern("(a+)+", "", "aaa")).toBe(false));

it("a long subject is matched by its start", () => {
  expect(matchesPattern("x.*y", "", `xy${"a".repeat(20_000)}`)).toBe(true);
  expect(matchesPattern("x.*y", "", `${"a".repeat(20_000)}xy`)).toBe(false);
});
