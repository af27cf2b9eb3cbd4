import type { Paragraph, RootContent } from "mdast";
import { toString } from "mdast-util-to-string";
import { spanOf, type Span } from "../core/markdown.ts";

/** A line that would be a field if HTML or an indent did not make it text. */
const FIELD_LINE = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\*\*|__)/m;
const MAX_DEPTH = 20;

/**
 * Where a known key stands but is not read: outside a list, on a later line of another field, in an HTML
 * block, in code made by an indent. A gate that nobody reads must not look like one. What stands in fences,
 * quotes and HTML comments is text on purpose.
 */
export function strayKeys(
  nodes: readonly RootContent[],
  source: string,
  isKey: (key: string) => boolean,
): Span[] {
  const found: Span[] = [];
  for (const node of nodes) visit(node, false, 0);
  return found;

  function visit(node: RootContent, isFieldBlock: boolean, depth: number): void {
    if (node.type === "list" && depth < MAX_DEPTH) {
      for (const item of node.children) {
        for (const [index, child] of item.children.entries()) visit(child, index === 0, depth + 1);
      }
    } else if (node.type === "html") {
      if (FIELD_LINE.test(node.value.replace(/<!--[\s\S]*?(?:-->|$)/g, ""))) found.push(spanOf(node));
    } else if (node.type === "code") {
      const isFence = /[`~]/.test(source[spanOf(node).start] ?? "");
      if (!isFence && FIELD_LINE.test(node.value)) found.push(spanOf(node));
    } else if (node.type === "paragraph") {
      found.push(...strayIn(node, isFieldBlock, isKey));
    }
  }
}

function strayIn(paragraph: Paragraph, isFieldBlock: boolean, isKey: (key: string) => boolean): Span[] {
  const found: Span[] = [];
  let ownKey = isFieldBlock;
  for (const [index, child] of paragraph.children.entries()) {
    if (child.type !== "strong") continue;
    const isOwn = ownKey;
    ownKey = false;
    const before = paragraph.children[index - 1];
    const startsLine =
      !before || (before.type === "text" && /(?:^|\n)[ \t]*(?:\d{1,9}[.)][ \t]+)?$/.test(before.value));
    if (!isOwn && startsLine && isKey(toString(child).trim().replace(/\s*:$/, ""))) found.push(spanOf(child));
  }
  return found;
}
