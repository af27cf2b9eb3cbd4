import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../lib/workflows/diagnostics.ts";
import { Manifest } from "../../../lib/workflows/manifest.ts";
import { compileCase } from "./case-library.ts";

const ROOT = new URL("../../fixtures/workflows/", import.meta.url);
const UPDATE = process.env["UPDATE_FIXTURES"] === "1";

const CASES = readdirSync(ROOT).sort();

/** A diagnostic as a reviewer reads it. */
function shown({ code, severity, message, hint, range, related, fix }: Diagnostic) {
  const { start, end } = range;
  const place = `${start.line}:${start.column}-${end.line}:${end.column}`;
  return {
    at: place,
    code,
    severity,
    message,
    ...(hint && { hint }),
    ...(related && { related: related.map((note) => `${note.range.start.line}: ${note.message}`) }),
    ...(fix && { fix: fix.edits.map((edit) => edit.text) }),
  };
}

/** The file when it is there; with UPDATE_FIXTURES=1 it is first written, or removed when there is nothing to say. */
function expected(file: URL, actual: unknown): unknown {
  if (UPDATE && actual === undefined) rmSync(file, { force: true });
  else if (UPDATE) writeFileSync(file, `${JSON.stringify(actual, null, 2)}\n`);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

describe("a workflow compiles to what stands beside it", () => {
  it.each(CASES)("%s", async (name) => {
    const folder = new URL(`${name}/`, ROOT);
    const compiled = await compileCase(readFileSync(new URL("workflow.md", folder), "utf8"));
    const diagnostics = compiled.diagnostics.map((diagnostic) => shown(diagnostic));
    const said = diagnostics.length > 0 ? diagnostics : undefined;
    // A warning does not change what a workflow compiles to, so cases of warnings need no manifest.
    const kept = compiled.ok && !said ? Manifest.parse(compiled.manifest) : undefined;
    expect(said).toEqual(expected(new URL("diagnostics.json", folder), said));
    expect(kept).toEqual(expected(new URL("manifest.json", folder), kept));
    expect(said ?? kept).toBeDefined();
  });
});

describe("a case named after a code gets that code and no other", () => {
  it.each(CASES.filter((name) => name.startsWith("mw")))("%s", async (name) => {
    const compiled = await compileCase(readFileSync(new URL(`${name}/workflow.md`, ROOT), "utf8"));
    const codes = new Set(compiled.diagnostics.map((diagnostic) => diagnostic.code));
    expect(codes).toEqual(new Set([name.slice(0, 5).toUpperCase()]));
    expect(compiled.ok).toBe(compiled.diagnostics.every(({ severity }) => severity !== "error"));
  });
});

/** The codes of the dialect, each with its severity: the list that people are told. */
const CODES = {
  error: [
    1, 2, 4, 6, 7, 8, 9, 10, 11, 13, 101, 110, 111, 114, 115, 116, 117, 201, 202, 203, 204, 205, 206, 207,
    209, 210, 211, 212, 214, 215, 301, 302, 303, 304, 305, 306, 307, 309, 310, 311, 312, 313, 315, 316, 317,
    318, 319, 320, 322, 323, 324, 325, 401, 410, 411, 412, 413, 414, 416, 418, 419, 421,
  ],
  warning: [5, 12, 14, 112, 118, 208, 213, 308, 314, 321, 326, 415, 417, 420],
  info: [3, 113],
};

describe("each code of the dialect has a case, and each case a code of the dialect", () => {
  const codes = Object.entries(CODES).flatMap(([severity, numbers]) =>
    numbers.map((number) => [`MW${String(number).padStart(3, "0")}`, severity] as const),
  );

  it.each(codes)("%s is of severity %s", async (code, severity) => {
    const name = CASES.find((folder) => folder.startsWith(code.toLowerCase()));
    const compiled = await compileCase(readFileSync(new URL(`${name}/workflow.md`, ROOT), "utf8"));
    expect(compiled.diagnostics.map((diagnostic) => diagnostic.severity)).toContain(severity);
  });

  it("and there are no others", () => {
    const cases = CASES.filter((name) => name.startsWith("mw")).map((name) => name.slice(0, 5).toUpperCase());
    expect([...new Set(cases)].toSorted()).toEqual(codes.map(([code]) => code).toSorted());
  });
});
