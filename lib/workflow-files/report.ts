import type { Range } from "../core/markdown.ts";
import type { Span } from "../core/markdown.ts";
import { truncate } from "../core/text.ts";

/** One thing that keeps a workflow file from compiling. */
export type FileDiagnostic = {
  code: `WF${string}`;
  severity: "error";
  message: string;
  hint?: string;
  range: Range;
};

/** More than this says no more to a reader. */
const MAX_DIAGNOSTICS = 50;
const MAX_MESSAGE_LENGTH = 300;

/** Collects what is wrong with one file, by offsets in its text. */
export type FileReport = {
  error(code: FileDiagnostic["code"], span: Span, message: string, hint?: string): void;
  sorted(): FileDiagnostic[];
};

export function createFileReport(text: string): FileReport {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  const positionOf = (offset: number) => {
    let line = lineStarts.findLastIndex((start) => start <= offset);
    line = Math.max(0, line);
    return { line: line + 1, column: offset - (lineStarts[line] ?? 0) + 1, offset };
  };
  const found: FileDiagnostic[] = [];
  return {
    error(code, { start, end }, message, hint) {
      if (found.length >= 10 * MAX_DIAGNOSTICS) return;
      found.push({
        code,
        severity: "error",
        message: truncate(message, MAX_MESSAGE_LENGTH),
        ...(hint !== undefined && { hint: truncate(hint, MAX_MESSAGE_LENGTH) }),
        range: { start: positionOf(start), end: positionOf(end) },
      });
    },
    sorted: () =>
      found
        .toSorted((a, b) => a.range.start.offset - b.range.start.offset || (a.code < b.code ? -1 : 1))
        .slice(0, MAX_DIAGNOSTICS),
  };
}

/** A diagnostic as a build prints it: file, place, code and what to do. */
export const diagnosticLine = (path: string, { code, message, hint, range }: FileDiagnostic): string =>
  `${path}:${range.start.line}:${range.start.column} ${code} ${message}${hint ? `. ${hint}` : ""}`;
