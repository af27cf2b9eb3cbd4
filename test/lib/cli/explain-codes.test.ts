import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CODES } from "../../../lib/cli/author/codes.ts";
import { compileCase } from "../workflows/case-library.ts";
import { withSnippet } from "./snippet.ts";

const FIXTURES = new URL("../../fixtures/workflows/", import.meta.url);
const COMPILER = new URL("../../../lib/workflows/", import.meta.url);

test("every code that the compiler can say is explained, once", () => {
  const said = readdirSync(COMPILER, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => readFileSync(new URL(file, COMPILER), "utf8").match(/(?<=")MW\d{3}(?=")/g) ?? []);
  expect(CODES.map(({ code }) => code)).toEqual([...new Set(said)].sort());
});

describe("an example in a section", () => {
  const inSections = CODES.flatMap((entry) => (entry.section ? [{ ...entry, section: entry.section }] : []));

  test.each(inSections)(
    "$code: the wrong one gets the code and the message, and nothing else",
    async (entry) => {
      const { diagnostics } = await compileCase(withSnippet(entry.section, entry.wrong));
      const said = diagnostics.map(({ code, severity, message, hint }) => ({
        code,
        severity,
        message,
        hint,
      }));
      expect(said).toEqual([
        { code: entry.code, severity: entry.severity, message: entry.message, hint: entry.hint },
      ]);
    },
  );

  test.each(inSections)("$code: the right one compiles without it", async ({ code, section, right }) => {
    const compiled = await compileCase(withSnippet(section, right));
    expect(compiled.ok).toBe(true);
    expect(compiled.diagnostics.map((diagnostic) => diagnostic.code)).not.toContain(code);
  });
});

/** The fixture of a code; a text that is only too long would fill a file with nothing. */
function textWith(code: string): string {
  if (code === "MW009") return "x".repeat(70_000);
  const names = readdirSync(FIXTURES).filter((name) => name !== "mw001-all-missing");
  const folder = names.find((name) => name.startsWith(code.toLowerCase()));
  return readFileSync(new URL(`${folder}/workflow.md`, FIXTURES), "utf8");
}

describe("an example of the whole text", () => {
  const whole = CODES.filter(({ section }) => section === null);

  test.each(whole)("$code is worded as the compiler words it", async ({ code, severity, message }) => {
    expect((await compileCase(textWith(code))).diagnostics).toMatchObject([{ code, severity, message }]);
  });
});
