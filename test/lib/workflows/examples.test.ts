import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { REGISTRY } from "../../../lib/intake/workflow-library.ts";
import { compileWorkflow } from "../../../lib/workflows/compile.ts";
import { Manifest } from "../../../lib/workflows/manifest.ts";
import { parseWorkflow } from "../../../lib/workflows/parse.ts";
import { EXAMPLE_TITLES, libraryOf } from "../../support/workflow-lookup.ts";

const EXAMPLES = new URL("../../fixtures/examples/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, EXAMPLES), "utf8");

const compileExample = (body: string, change = {}) =>
  compileWorkflow(
    { memoId: "W-1", contentVersion: 7, contentHash: "sha256:example", body, title: "" },
    libraryOf(EXAMPLE_TITLES, change),
    0,
  );

describe("the examples", () => {
  for (const file of readdirSync(new URL("workflows/", EXAMPLES))) {
    it(`${file} compiles without a word to its manifest`, async () => {
      const compiled = await compileExample(read(`workflows/${file}`));
      expect(compiled.diagnostics).toEqual([]);
      if (!compiled.ok) throw new Error("no manifest");
      const path = new URL(`manifests/${file.replace(".md", ".json")}`, EXAMPLES);
      if (process.env["UPDATE_FIXTURES"] === "1") {
        mkdirSync(new URL("manifests/", EXAMPLES), { recursive: true });
        writeFileSync(path, `${JSON.stringify(compiled.manifest, null, 2)}\n`);
      }
      expect(Manifest.parse(compiled.manifest)).toEqual(JSON.parse(readFileSync(path, "utf8")));
    });
  }

  it("take the memo's title before the heading of the text", async () => {
    const body = read("workflows/1-memo-drafting.md");
    const source = {
      memoId: "W-1",
      contentVersion: 1,
      contentHash: "sha256:x",
      body,
      title: "Another title",
    };
    const compiled = await compileWorkflow(source, libraryOf(EXAMPLE_TITLES), 0);
    expect(compiled.ok && compiled.manifest.title).toBe("Another title");
  });
});

describe("the examples against the demo library", () => {
  const LIBRARY = new URL("../../../infra/local/library/", import.meta.url);
  const titles = readdirSync(LIBRARY)
    .filter((file) => file.endsWith(".md"))
    .map((file) => /^# (.*)$/m.exec(readFileSync(new URL(file, LIBRARY), "utf8"))?.[1] ?? file);
  const { destinations, sources, readTools = [], actions } = REGISTRY;
  const here = { destinations, sources, readTools, actions };
  const withoutVerdicts = { sources: sources.filter((scheme) => scheme !== "verdicts") };

  it.each([
    ["1-memo-drafting.md", {}, []],
    ["2-weekly-digest.md", {}, []],
    ["3-inbox-triage.md", {}, []],
    ["4-link-research.md", {}, ["MW412"]],
    ["5-session-steward.md", {}, []],
    ["6-roadmap-extraction.md", {}, []],
    ["4-link-research.md", { destinations: ["memo", "reply"] }, []],
    ["5-session-steward.md", { actions: [] }, ["MW317"]],
    ["5-session-steward.md", withoutVerdicts, ["MW315"]],
    // The source and its action go together: without both there is one cause.
    ["5-session-steward.md", { ...withoutVerdicts, actions: [] }, ["MW315"]],
  ])("%s, with what is here changed by %j, says %j", async (file, more, codes) => {
    const body = readFileSync(new URL(`workflows/${file}`, LIBRARY), "utf8");
    const source = { memoId: "W-1", contentVersion: 1, contentHash: "sha256:x", body, title: "" };
    const compiled = await compileWorkflow(source, libraryOf(titles, { ...here, ...more }), 0);
    expect(compiled.diagnostics.map(({ code }) => code)).toEqual(codes);
    expect(compiled.ok).toBe(codes.length === 0);
  });

  it("parse without a word", () => {
    for (const file of readdirSync(new URL("workflows/", LIBRARY))) {
      const body = readFileSync(new URL(`workflows/${file}`, LIBRARY), "utf8");
      expect(parseWorkflow(body).diagnostics).toEqual([]);
    }
  });
});

describe("the broken example", () => {
  type Expected = { diagnostics: { code: string; line: number }[] };
  const expected = JSON.parse(read("bad.expected.json")) as Expected;
  const placed = (diagnostics: readonly { code: string; range: { start: { line: number } } }[]) =>
    diagnostics.map(({ code, range }) => ({ code, line: range.start.line }));

  it("gets one diagnostic per cause, by place", () => {
    expect(placed(parseWorkflow(read("bad.md")).diagnostics)).toEqual(expected.diagnostics);
  });

  it("gets one more where nothing writes to a worktree", async () => {
    const compiled = await compileExample(read("bad.md"), { destinations: ["memo", "reply"] });
    expect(compiled.ok).toBe(false);
    const added = { code: "MW412", line: 20 };
    const at = expected.diagnostics.findIndex(({ line }) => line > added.line);
    expect(placed(compiled.diagnostics)).toEqual(expected.diagnostics.toSpliced(at, 0, added));
  });
});
