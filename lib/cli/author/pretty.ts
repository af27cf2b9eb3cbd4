import { printable, printableInLine } from "../../core/printable.ts";
import type { Diagnostic, Severity } from "../../workflows/diagnostics.ts";
import { count } from "../table.ts";
import type { Terminal } from "../terminal.ts";

export type Checked = { path: string; text: string; diagnostics: readonly Diagnostic[] };

type Colours = Terminal["colours"];

/** Most of a source line that is shown; what is wrong stands in it. */
const LINE_MAX = 120;

/** A diagnostic as people read it: place, code and message, the line, and what is meant underlined. */
export function prettyDiagnostic(file: string, text: string, diagnostic: Diagnostic, c: Colours): string[] {
  const path = printableInLine(file);
  const { code, severity, message, range, related = [] } = diagnostic;
  const place = `${path}:${range.start.line}:${range.start.column}`;
  const head = `${place}  ${toned(severity, c)(`${severity} ${code}`)}  ${printable(message)}`;
  const notes = related.map(
    (note) =>
      `${path}:${note.range.start.line}:${note.range.start.column}  ${c.dim(`note ${printable(note.message)}`)}`,
  );
  return [head, ...excerpt(text, diagnostic, c), ...notes];
}

function excerpt(text: string, { range, hint }: Diagnostic, c: Colours): string[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  const line = lines[range.start.line - 1] ?? "";
  const number = String(range.start.line);
  const margin = " ".repeat(Math.max(5, number.length + 2));
  const from = Math.max(0, range.start.column - 1 - (LINE_MAX - 40));
  const end = range.end.line === range.start.line ? range.end.column - 1 : line.length;
  const before = shown(line.slice(from, range.start.column - 1));
  const marked = shown(line.slice(range.start.column - 1, Math.max(end, range.start.column)));
  const rest = shown(line.slice(Math.max(end, range.start.column)));
  const source = `${from > 0 ? "…" : ""}${before}${marked}${rest}`;
  const offset = before.length + (from > 0 ? 1 : 0);
  const carets = "^".repeat(Math.max(1, Math.min(marked.length, LINE_MAX - offset)));
  const under = `${" ".repeat(offset)}${c.yellow(carets)}${hint ? ` ${c.cyan(printable(hint))}` : ""}`;
  const cut = source.length > LINE_MAX ? `${source.slice(0, LINE_MAX)}…` : source;
  return [`${number.padStart(margin.length)} │ ${cut}`, `${margin} │ ${under}`];
}

const shown = (text: string): string => printable(text.replaceAll("\t", "  "));

const toned = (severity: Severity, c: Colours): ((text: string) => string) =>
  severity === "error" ? c.red : severity === "warning" ? c.yellow : c.blue;

/** `2 errors, 1 warning · docs: mythos explain MW401`. */
export function summaryLine(checked: readonly Checked[]): string {
  const all = checked.flatMap(({ diagnostics }) => diagnostics);
  const errors = all.filter(({ severity }) => severity === "error");
  const warnings = all.filter(({ severity }) => severity === "warning");
  const worst = errors[0] ?? warnings[0] ?? all[0];
  const files = count(checked.length, "file");
  const said = `${count(errors.length, "error")}, ${count(warnings.length, "warning")} in ${files}`;
  return worst ? `${said} · docs: mythos explain ${worst.code}` : said;
}
