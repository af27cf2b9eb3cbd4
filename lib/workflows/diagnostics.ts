/** A place in a workflow's text, 1-based, over the whole file; `offset` counts UTF-16 code units from 0. */
export type Position = { line: number; column: number; offset: number };
export type Range = { start: Position; end: Position };

export type Severity = "error" | "warning" | "info";

/** One thing to say about a workflow's text: what is wrong, where, and what to write instead. */
export type Diagnostic = {
  code: `MW${string}`;
  severity: Severity;
  message: string;
  hint?: string;
  range: Range;
  related?: { message: string; range: Range }[];
  fix?: { title: string; edits: { range: Range; text: string }[] };
};
