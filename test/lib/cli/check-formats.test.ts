import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { createColors } from "picocolors";
import { describe, expect, test } from "vitest";
import { githubLines } from "../../../lib/cli/author/github.ts";
import { prettyDiagnostic, summaryLine, type Checked } from "../../../lib/cli/author/pretty.ts";
import { sarifLog } from "../../../lib/cli/author/sarif.ts";
import { parseWorkflow } from "../../../lib/workflows/parse.ts";

const BAD = readFileSync(new URL("../../fixtures/examples/bad.md", import.meta.url), "utf8");

const checkedText = (path: string, text: string): Checked => ({
  path,
  text,
  diagnostics: parseWorkflow(text).diagnostics,
});

/** Files whose names and messages hold everything that a format must escape. */
const CHECKED: Checked[] = [
  checkedText("library/bad.md", BAD),
  checkedText("a folder/50%, really: yes.md", "# T\n\n## Trigger\n- **Command** `100%, done: yes`\n"),
  checkedText("empty.md", ""),
];

describe("sarif", () => {
  const require = createRequire(import.meta.url);
  const {
    $schema: _draft,
    id: _id,
    ...schema
  } = require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json") as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);

  test("is valid against the schema of SARIF 2.1.0", () => {
    validate(sarifLog(CHECKED, "1.2.3"));
    expect(validate.errors).toBeNull();
  });

  test("would not be with a level that the standard does not know", () => {
    const log = sarifLog(CHECKED, "1.2.3");
    const [result] = log.runs[0]!.results;
    const broken = { ...log, runs: [{ ...log.runs[0], results: [{ ...result, level: "fatal" }] }] };
    expect(validate(broken)).toBe(false);
  });

  test("has a result for each diagnostic, at its place, with its rule and its fix", () => {
    const { results, tool } = sarifLog(CHECKED, "1.2.3").runs[0]!;
    const all = CHECKED.flatMap(({ diagnostics }) => diagnostics);
    expect(results).toHaveLength(all.length);
    for (const [index, { code, range, fix }] of all.entries()) {
      const result = results[index]!;
      expect(tool.driver.rules[result.ruleIndex]?.id).toBe(code);
      expect(result.locations[0]?.physicalLocation.region).toMatchObject({
        startLine: range.start.line,
        startColumn: range.start.column,
      });
      expect("fixes" in result).toBe(fix !== undefined);
    }
  });

  test("names files by an encoded relative reference", () => {
    const uris = sarifLog(CHECKED, "1.2.3").runs[0]!.artifacts.map(({ location }) => location.uri);
    expect(uris[1]).toBe("a%20folder/50%25%2C%20really%3A%20yes.md");
  });
});

describe("github annotations", () => {
  /** As the runner of GitHub reads a line. */
  function annotation(line: string) {
    const match = /^::(error|warning|notice) ([^:]*)::(.*)$/.exec(line);
    if (!match) throw new Error(`no annotation: ${line}`);
    const plain = (text: string) =>
      text
        .replaceAll("%3A", ":")
        .replaceAll("%2C", ",")
        .replaceAll("%0A", "\n")
        .replaceAll("%0D", "\r")
        .replaceAll("%25", "%");
    const properties = Object.fromEntries(
      match[2]!.split(",").map((pair) => {
        const at = pair.indexOf("=");
        return [pair.slice(0, at), plain(pair.slice(at + 1))];
      }),
    );
    return { command: match[1], properties, message: plain(match[3]!) };
  }

  test("are read back as what was found", () => {
    const lines = githubLines(CHECKED);
    const all = CHECKED.flatMap(({ path, diagnostics }) => diagnostics.map((found) => ({ path, found })));
    expect(lines).toHaveLength(all.length);
    for (const [index, { path, found }] of all.entries()) {
      const { command, properties, message } = annotation(lines[index]!);
      expect(command).toBe(found.severity === "info" ? "notice" : found.severity);
      expect(properties).toMatchObject({
        file: path,
        line: String(found.range.start.line),
        title: found.code,
      });
      expect(message).toBe(found.hint ? `${found.message} ${found.hint}` : found.message);
    }
  });
});

test("an annotation shows a control of the text, and of its file's name, by their numbers", () => {
  const { text, diagnostics } = checkedText("", "");
  const hostile = diagnostics.map((found) => ({ ...found, message: "Com\u001B[2J\u200Band\nnext" }));
  const lines = githubLines([{ path: "a\u001B[2J.md", text, diagnostics: hostile }]).join("");
  expect(lines).toContain("file=a\\u001b[2J.md");
  expect(lines).toContain("Com\\u001b[2J\\u200band%0Anext");
  expect(lines).not.toContain("\u001B");
});

describe("pretty", () => {
  const plain = createColors(false);
  const ofCode = (code: string, text: string) => {
    const diagnostic = parseWorkflow(text).diagnostics.find((found) => found.code === code);
    return prettyDiagnostic("w.md", text, diagnostic!, plain);
  };

  test("shows the line and underlines what is meant", () => {
    const text = BAD.split("\n");
    const { diagnostics } = parseWorkflow(BAD);
    for (const diagnostic of diagnostics) {
      const { start, end } = diagnostic.range;
      const [head, source, under] = prettyDiagnostic("bad.md", BAD, diagnostic, plain);
      expect(head).toMatch(
        new RegExp(`^bad\\.md:${start.line}:${start.column}  ${diagnostic.severity} ${diagnostic.code}  `),
      );
      if (end.line !== start.line || end.column === start.column || text[start.line - 1]!.length > 100)
        continue;
      const at = under!.indexOf("^");
      const carets = /\^+/.exec(under!)![0].length;
      expect(source!.slice(at, at + carets)).toBe(
        text[start.line - 1]!.slice(start.column - 1, end.column - 1),
      );
    }
  });

  test("begins with the line that the problem matcher of the README reads", () => {
    const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
    const matcher = JSON.parse(/^\{ "owner"[\s\S]*?\} \}$/m.exec(readme)?.[0] ?? "{}") as {
      pattern: { regexp: string; file: number; line: number; code: number; message: number };
    };
    const { regexp, file, line, code, message } = matcher.pattern;
    for (const { path, text, diagnostics } of CHECKED) {
      for (const found of diagnostics) {
        const [head = "", ...rest] = prettyDiagnostic(path, text, found, plain);
        const match = new RegExp(regexp).exec(head);
        expect(match?.[file]).toBe(path);
        expect(match?.[line]).toBe(String(found.range.start.line));
        expect([match?.[code], match?.[message]]).toEqual([found.code, found.message]);
        expect(rest.some((other) => new RegExp(regexp).test(other))).toBe(false);
      }
    }
  });

  test("keeps the underline in its place on a long line and behind tabs", () => {
    const long = `# T\n\n## Trigger\n- **Summary** ${"x".repeat(300)}\n`;
    for (const line of ofCode("MW112", long)) expect(line.length).toBeLessThan(250);
    const [, source, under] = ofCode("MW101", "# T\n\n## Trigger\n-\t**Comand** `/x`\n");
    expect(source!.slice(under!.indexOf("^"))).toMatch(/^\*\*Comand/);
  });

  test("never lets a text move the cursor", () => {
    const lines = ofCode("MW013", "# T\n\n## Trigger\n- **Com\u001B[2Jand** `/x`\n").join("\n");
    expect(lines).not.toContain("\u001B");
  });

  test("shows the name of a file with a control or a line end in one line", () => {
    const [diagnostic] = parseWorkflow("").diagnostics;
    const [head] = prettyDiagnostic("a\u001B]0;b\u0007\nb.md", "", diagnostic!, plain);
    expect(head).toMatch(/^a\\u001b\]0;b\\u0007\\u000ab\.md:1:1 {2}/);
  });

  test("counts, and says where to read on", () => {
    expect(summaryLine(CHECKED)).toMatch(
      /^\d+ errors, \d+ warnings? in 3 files · docs: mythos explain MW\d{3}$/,
    );
    expect(summaryLine([{ path: "a.md", text: "", diagnostics: [] }])).toBe("0 errors, 0 warnings in 1 file");
  });
});
