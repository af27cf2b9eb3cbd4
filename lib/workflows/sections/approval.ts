import type { Nodes } from "mdast";
import { readCondition } from "../condition-text.ts";
import { spanOf, type Span } from "../../core/markdown.ts";
import { foldWhitespace } from "../../core/text.ts";
import type { Report } from "../diagnostics.ts";
import { hasArguments, withoutComments, type Field, type Token } from "../field.ts";
import type { Policy } from "../manifest.ts";
import type { Section } from "../outline.ts";
import { proseOf, wordOf } from "../value.ts";
import type { Mention, SectionContext } from "./section.ts";

const HINT = "Use `hold`, `auto` or `auto` unless `steps.x.confidence` below `0.7`.";
const CLAUSE_OPERATORS = ["is", "is not", "contains", "below", "above"] as const;

/**
 * Reads Approval. It is a mode alone, or `auto` with its clause, and nothing else: any other word may be a
 * clause that cannot be read, and a lost clause would turn doubt into approval.
 */
export function readApproval(field: Field, mentions: Mention[], report: Report): Policy["approval"] {
  const hold: Policy["approval"] = { mode: "hold", unless: null };
  const wrong = (token: Span & { text: string }): Policy["approval"] => {
    report.error("MW410", token, `"${token.text}" is not an approval`, { hint: HINT });
    return hold;
  };
  const [below] = field.unread;
  if (below) {
    report.error("MW410", spanOf(below), "This part of Approval is not read", { hint: HINT });
    return hold;
  }
  const tokens = field.tokens.filter((token) => token.kind !== "text" || /[^\s.,;]/.test(token.text));
  const [mode, ...rest] = tokens;
  if (!hasArguments(tokens)) {
    const word = wordOf(field);
    if (word.text === "hold" || word.text === "auto") return { mode: word.text, unless: null };
    return wrong(word);
  }
  if (mode?.kind !== "code") return wrong(trimmed(mode ?? wordOf(field)));
  if (mode.text !== "hold" && mode.text !== "auto") return wrong(mode);
  const [first] = rest;
  if (!first) return { mode: mode.text, unless: null };
  if (mode.text === "hold")
    return wrong({ ...mode, text: proseOf([mode, ...rest]), end: tokens.at(-1)?.end ?? mode.end });
  const clause = readClause(rest);
  if (!clause) return wrong(trimmed(rest.find((token) => token.kind !== "text") ?? first));
  mentions.push({ inner: clause.path.text, span: clause.path });
  return { mode: "auto", unless: clause.condition };
}

/** The clause after `auto`, when that is all there is. */
function readClause([intro, ...condition]: readonly Token[]) {
  if (intro?.kind !== "text" || !/^[\s,;]*unless\s*$/i.test(intro.text) || condition.length > 3)
    return undefined;
  const read = readCondition(condition, CLAUSE_OPERATORS);
  return read.ok ? read : undefined;
}

const trimmed = (token: Span & { text: string }): Span & { text: string } => {
  const start = token.start + (token.text.length - token.text.trimStart().length);
  return { text: foldWhitespace(token.text), start: Math.min(start, token.end), end: token.end };
};

/** What is meant for the machine, in whatever a node holds. */
function codeSpans(node: Nodes): Nodes[] {
  if (node.type === "inlineCode") return [node];
  return "children" in node ? node.children.flatMap((child) => codeSpans(child)) : [];
}

/**
 * A clause that stands in Policy but outside its Approval, in a quote or without its indent: nobody reads it, and
 * an `auto` without it would approve what its author wants to see.
 */
export function reportLostClause(
  approval: Policy["approval"],
  field: Field | undefined,
  { nodes, heading }: Section,
  { markdown, report }: SectionContext,
): void {
  const last = nodes.at(-1);
  if (approval.mode !== "auto" || !field || !last) return;
  const say = (span: Span, message: string, hint: string) => {
    const { offset } = markdown.range(span).start;
    report.withdraw(
      ({ code, range }) => code === "MW012" && range.start.offset <= offset && offset < range.end.offset,
    );
    report.error("MW410", span, message, { hint });
  };
  const text = withoutComments(markdown.source.slice(heading.end, spanOf(last).end));
  const clause = approval.unless ? null : /\bunless[\s>]*`/i.exec(text);
  if (clause) {
    const at = markdown.source.indexOf(clause[0], heading.end);
    const span = { start: at, end: at + "unless".length };
    return say(span, "This clause is not read as a part of Approval", HINT);
  }
  // In other words, or beside a clause that is read, it is still something that its author wants to be kept.
  const beside = nodes
    .filter(({ type }) => type !== "list")
    .flatMap(codeSpans)
    .at(0);
  if (!beside) return;
  const hint = "Make it a part of its field, or write it without backticks.";
  say(spanOf(beside), "This stands beside the fields of an automatic approval, unread", hint);
}
