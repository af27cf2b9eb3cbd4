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
