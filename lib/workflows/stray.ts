import type { Heading, PhrasingContent, Paragraph, RootContent } from "mdast";
import { spanOf, type Span } from "../core/markdown.ts";
import { isBlock, keyOf, withoutComments } from "./field.ts";

/** A line that would be a field if HTML or an indent did not make it text. */
const FIELD_LINE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+(?:\*\*|__)/m;
const MAX_DEPTH = 20;

/**
 * Where a known key stands but is not read: outside a list, on a later line of another field, behind one, in
 * an HTML block, in code made by an indent. A gate that nobody reads must not look like one. What stands in
 * fences, code spans, quotes and HTML comments is text on purpose.
 */
export function strayKeys(nodes: readonly RootContent[], source: string, keys: readonly string[]): Span[] {
  const pattern = strayPattern(keys);
  const isFieldLike = (text: string): boolean => FIELD_LINE.test(text) || text.search(pattern) !== -1;
  const found: Span[] = [];
  for (const node of nodes) visit(node, false, 0);
  return found;

  function visit(node: RootContent, isFirstOfItem: boolean, depth: number): void {
    if (node.type === "list" && depth < MAX_DEPTH) {
      for (const item of node.children) {
        for (const [index, child] of item.children.entries()) visit(child, index === 0, depth + 1);
      }
    } else if (node.type === "html") {
      if (isFieldLike(withoutComments(node.value))) found.push(spanOf(node));
    } else if (node.type === "code") {
      const isFence = /[`~]/.test(source[spanOf(node).start] ?? "");
      if (!isFence && isFieldLike(node.value)) found.push(spanOf(node));
    } else if (isBlock(node)) {
      found.push(...straysIn(node, isFirstOfItem, source, pattern));
    }
  }
}

// Read from the source and not from the tree: a bold that does not close, or that an accident before it keeps
// from being one, is how a field gets lost.
function strayPattern(keys: readonly string[]): RegExp {
  const key = `(?<![A-Za-z])(?:${keys.join("|")})(?![A-Za-z])`;
  // Either whole or not a tag: a tag that could be read in two ways would be tried in both, again and again.
  const tag = "<[^>\\n`[]{0,20}>";
  const other = `<(?![^>\\n\`[]{0,20}>)`;
  const beforeValue = `(?:\\*\\*|__)[^\`[]{0,20}?${key}(?:[^A-Za-z0-9<]|${other}|${tag}){0,12}?(?:\`|\\[\\[)`;
  const noWord = `(?:[^A-Za-z\\n<]|${other}|${tag})`;
  const atLineStart = `(?<=^|\\n)${noWord}{0,20}?(?:\\*\\*|__)${noWord}{0,4}?${key}${noWord}{0,4}?(?:\\*\\*|__)`;
  return new RegExp(`${beforeValue}|${atLineStart}`, "gi");
}

function straysIn(
  block: Paragraph | Heading,
  isFirstOfItem: boolean,
  source: string,
  pattern: RegExp,
): Span[] {
  const { start, end } = spanOf(block);
  const own = isFirstOfItem ? keyOf(block) : undefined;
  const from = own ? own.span.end : start;
  const text = textSpans(block.children);
  const found: Span[] = [];
  for (const match of source.slice(from, end).matchAll(pattern)) {
    const at = from + match.index + (match[0].length - match[0].trimStart().length);
    const isText = text.some((span) => span.start <= at && at < span.end);
    if (!isText) found.push({ start: at, end: from + match.index + match[0].length });
  }
  return found;
}

/** Code spans and HTML of a block: text on purpose. */
function textSpans(nodes: readonly PhrasingContent[], depth = 0): Span[] {
  return nodes.flatMap((node) => {
    if (node.type === "inlineCode" || node.type === "html") return [spanOf(node)];
    return "children" in node && depth < 200 ? textSpans(node.children, depth + 1) : [];
  });
}
