import type { Markdown, Range, Span } from "../core/markdown.ts";
import { truncate } from "../core/text.ts";
export type { Position, Range } from "../core/markdown.ts";

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

/** More than this says no more to a reader. */
export const MAX_DIAGNOSTICS = 50;

/** A message quotes what was written; this much of it says which. */
const MAX_MESSAGE_LENGTH = 500;

const short = (text: string): string =>
  text.length > MAX_MESSAGE_LENGTH ? `${truncate(text, MAX_MESSAGE_LENGTH - 1)}…` : text;

/** Far more than are shown. Warnings stop here, errors at twice as many: an error must not be lost to warnings. */
const MAX_COLLECTED = 1000;

type More = {
  hint?: string | undefined;
  related?: { message: string; span: Span };
  fix?: Fix | "" | undefined;
};
type Fix = { title: string; span: Span; text: string };

/** Collects what there is to say about one text. */
export type Report = {
  error(code: Diagnostic["code"], span: Span, message: string, more?: More): void;
  warn(code: Diagnostic["code"], span: Span, message: string, more?: More): void;
  info(code: Diagnostic["code"], span: Span, message: string): void;
  /** How many errors there are so far: whether a reader has said what is wrong already. */
  errors(): number;
  /** Takes back what turned out to be said twice. */
  withdraw(isSaid: (diagnostic: Diagnostic) => boolean): void;
  sorted(): Diagnostic[];
};

export function createReport(markdown: Pick<Markdown, "range">): Report {
  let diagnostics: Diagnostic[] = [];
  let errors = 0;
  const add = (
    severity: Severity,
    code: Diagnostic["code"],
    span: Span,
    message: string,
    more: More = {},
  ) => {
    if (diagnostics.length >= (severity === "error" ? 2 : 1) * MAX_COLLECTED) return;
    const { hint, related, fix } = more;
    if (severity === "error") errors += 1;
    diagnostics.push({
      code,
      severity,
      message: short(message),
      ...(hint === undefined ? {} : { hint: short(hint) }),
      range: markdown.range(span),
      ...(related ? { related: [{ message: related.message, range: markdown.range(related.span) }] } : {}),
      ...(fix
        ? { fix: { title: fix.title, edits: [{ range: markdown.range(fix.span), text: fix.text }] } }
        : {}),
    });
  };
  return {
    error: (code, span, message, more) => add("error", code, span, message, more),
    warn: (code, span, message, more) => add("warning", code, span, message, more),
    info: (code, span, message) => add("info", code, span, message),
    errors: () => errors,
    withdraw: (isSaid) => {
      diagnostics = diagnostics.filter((diagnostic) => !isSaid(diagnostic));
    },
    sorted: () => sortDiagnostics(diagnostics),
  };
}

/** By place, then code; never more than fifty, and an error is never cut for the sake of a warning. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const byPlace = [...diagnostics].sort(
    (a, b) => a.range.start.offset - b.range.start.offset || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  );
  if (byPlace.length <= MAX_DIAGNOSTICS) return byPlace;
  const weight = { error: 0, warning: 1, info: 2 };
  const kept = new Set(
    [...byPlace].sort((a, b) => weight[a.severity] - weight[b.severity]).slice(0, MAX_DIAGNOSTICS),
  );
  return byPlace.filter((diagnostic) => kept.has(diagnostic));
}

/** Whether a workflow with these may not run. */
export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some((diagnostic) => diagnostic.severity === "error");

/** `Did you mean "x"?`, when something is near. */
export const didYouMean = (candidate: string | undefined): string | undefined =>
  candidate === undefined ? undefined : `Did you mean "${candidate}"?`;

/** The names that are known somewhere, as a hint; a long list is cut. */
export function listed(what: string, names: readonly string[]): string {
  if (names.length === 0) return `${what}: none.`;
  return `${what}: ${names.slice(0, 12).join(", ")}${names.length > 12 ? ", …" : ""}.`;
}
