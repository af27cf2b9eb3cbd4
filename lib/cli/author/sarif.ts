import { sep } from "node:path";
import type { Diagnostic, Range, Severity } from "../../workflows/diagnostics.ts";
import { CODES } from "./codes.ts";
import type { Checked } from "./pretty.ts";

const LEVEL = { error: "error", warning: "warning", info: "note" } as const satisfies Record<
  Severity,
  string
>;

/** A SARIF 2.1.0 log: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export function sarifLog(checked: readonly Checked[], version: string) {
  const codes = [
    ...new Set(checked.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code))),
  ].sort();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "mythos", version, rules: codes.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        artifacts: checked.map(({ path }) => ({ location: locationOf(path) })),
        results: checked.flatMap(({ path, diagnostics }, artifact) =>
          diagnostics.map((diagnostic) => resultOf(diagnostic, { path, artifact, codes })),
        ),
      },
    ],
  };
}

function ruleOf(code: Diagnostic["code"]) {
  const known = CODES.find((entry) => entry.code === code);
  return {
    id: code,
    ...(known && {
      shortDescription: { text: known.message },
      ...(known.hint && { help: { text: known.hint } }),
      defaultConfiguration: { level: LEVEL[known.severity] },
    }),
  };
}

function resultOf(
  { code, severity, message, hint, range, related = [], fix }: Diagnostic,
  { path, artifact, codes }: { path: string; artifact: number; codes: readonly string[] },
) {
  const artifactLocation = { ...locationOf(path), index: artifact };
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: LEVEL[severity],
    message: { text: hint ? `${message}. ${hint}` : message },
    locations: [{ physicalLocation: { artifactLocation, region: regionOf(range) } }],
    ...(related.length > 0 && {
      relatedLocations: related.map((note) => ({
        message: { text: note.message },
        physicalLocation: { artifactLocation, region: regionOf(note.range) },
      })),
    }),
    ...(fix && {
      fixes: [
        {
          description: { text: fix.title },
          artifactChanges: [
            {
              artifactLocation,
              replacements: fix.edits.map((edit) => ({
                deletedRegion: regionOf(edit.range),
                insertedContent: { text: edit.text },
              })),
            },
          ],
        },
      ],
    }),
  };
}

const regionOf = ({ start, end }: Range) => ({
  startLine: start.line,
  startColumn: start.column,
  endLine: end.line,
  endColumn: end.column,
});

/** A relative reference with `/` between encoded segments, on every system. */
const locationOf = (path: string) => ({ uri: path.split(sep).map(encodeURIComponent).join("/") });
