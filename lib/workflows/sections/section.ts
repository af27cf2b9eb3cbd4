import { spanOf, type Markdown, type Span } from "../../core/markdown.ts";
import { nearest } from "../../core/text.ts";
import { didYouMean, type Report } from "../diagnostics.ts";
import { hasArguments, isBlock, readEntries, tokensIn, upTo, type Field } from "../field.ts";
import type { Section } from "../outline.ts";
import { strayKeys } from "../stray.ts";
import { placeholdersIn } from "../template.ts";

/** Longest text that is compiled. */
export const TEXT_MAX_BYTES = 64 * 1024;

/** Most that parsing a workflow may cost, by the parser's estimate: twice what 64 kB of notes with code do. */
export const TEXT_MAX_COST = 80_000;

/** A slash name: letters and digits with single hyphens, 2 to 64 characters after the slash. */
export const COMMAND = /^\/(?=.{2,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A key as it is looked up. */
export const fieldName = (key: string): string => key.toLowerCase();

/** A reference in a text, or a condition's whole path. */
export type Mention = { inner: string; span: Span };

/** A mention to be checked once all steps and inputs are known; only steps before `step` have an output there. */
export type Site = Mention & { step: number };

/** The step number of what is read after all steps. */
export const AFTER_STEPS = Number.POSITIVE_INFINITY;

/** What every section reader is given. */
export type SectionContext = { markdown: Markdown; report: Report };

/** All `{{…}}` in a part of the text. */
export function mentionsIn({ source }: Markdown, span: Span): Mention[] {
  return placeholdersIn(source.slice(span.start, span.end)).map(({ inner, start, end }) => ({
    inner,
    span: { start: span.start + start, end: span.start + end },
  }));
}

/** Line and column of the start of a part of the text. */
export function placeOf(markdown: Markdown, span: Span): { line: number; column: number } {
  const { line, column } = markdown.range(span).start;
  return { line, column };
}

/** Says that words which look like a part of the workflow are for people only. */
export function reportWords(span: Span, { report }: Pick<SectionContext, "report">): void {
  report.warn("MW012", span, "This text is not read", {
    hint: "Settings stand in fields, with their values in backticks; notes stand in a section of their own.",
  });
}

type Unknown = { code: "MW101" | "MW201" | "MW401"; message: (key: string) => string };

/** A section's fields, and the keys that were meant but not read: what they lack is already said. */
export type ReadFields = { fields: NamedField[]; lost: ReadonlySet<string> };
export type NamedField = { name: string; field: Field };

/** The fields of known keys; the rest is said to be unknown, misplaced or without a key. */
export function readFields(
  section: Section,
  keys: readonly string[],
  unknown: Unknown,
  { markdown, report }: SectionContext,
): ReadFields {
  const names = new Set(keys.map(fieldName));
  const fields: NamedField[] = [];
  const lost = new Set<string>();
  const plain: Span[] = [];
  const noKey = (span: Span): void => {
    const text = markdown.source.slice(span.start, span.end).toLowerCase();
    for (const name of names) if (text.includes(name)) lost.add(name);
    report.error("MW006", span, `A line in ${section.name} must start with a bold key`, {
      hint: 'Write "- **Key** value".',
    });
  };
  const strays = strayKeys(section.nodes, markdown.source, keys);
  for (const entry of readEntries(section.nodes, markdown.source)) {
    if ("plain" in entry) {
      plain.push(entry.plain);
      noKey(entry.plain);
    } else if (names.has(fieldName(entry.field.key))) {
      fields.push({ name: fieldName(entry.field.key), field: upTo(entry.field, strays) });
    } else {
      const { key, keySpan } = entry.field;
      const near = nearest(key.split(":")[0] ?? key, keys);
      if (near !== undefined) lost.add(fieldName(near));
      report.error(unknown.code, keySpan, unknown.message(key), {
        hint: didYouMean(near) ?? `Known here: ${keys.join(", ")}.`,
        fix: near && { title: `Change to "${near}"`, span: keySpan, text: `**${near}**` },
      });
    }
  }
  for (const node of section.nodes) {
    if (!isBlock(node) || !hasArguments(tokensIn(node.children, markdown.source, spanOf(node)))) continue;
    const span = spanOf(node);
    if (!strays.some(({ start }) => span.start <= start && start < span.end)) reportWords(span, { report });
  }
  for (const span of strays) {
    if (!plain.some((item) => item.start <= span.start && span.end <= item.end)) noKey(span);
  }
  return { fields, lost };
}

/** Fields once each: a second one is an error and is not read. */
export function once(fields: readonly NamedField[], report: Report): Map<string, Field> {
  const first = new Map<string, Field>();
  for (const { name, field } of fields) {
    const earlier = first.get(name);
    if (!earlier) first.set(name, field);
    else {
      report.error("MW007", field.keySpan, `"${field.key}" is set twice`, {
        hint: "Keep one.",
        related: { message: "The first one", span: earlier.keySpan },
      });
    }
  }
  return first;
}
