import type { Heading, ListItem, Paragraph, PhrasingContent, RootContent } from "mdast";
import { toString } from "mdast-util-to-string";
import { spanOf, type Span } from "../core/markdown.ts";
import { foldWhitespace } from "../core/text.ts";

/** A piece of a value: prose, what stands in backticks, or a `[[memo]]`. */
export type Token = Span & { kind: "text" | "code" | "ref"; text: string };

/** A list item that starts with a bold key. */
export type Field = {
  /** As written, without a colon. */
  key: string;
  keySpan: Span;
  tokens: Token[];
  /** The item, from its bullet on. */
  span: Span;
  /** Where the value starts and ends in the item's first block. */
  value: Span;
  /** The paragraphs and keyless bullets below that block: their tokens are the value's too. */
  blocks: Span[];
  /** What stands below and has no tokens: quotes, code, HTML. Whoever reads the field must not pass over it. */
  unread: RootContent[];
};

/** What a section's list holds: a field, or an item without a bold key. */
export type Entry = { field: Field } | { plain: Span };

/** Deeper lists than this are prose. */
const MAX_DEPTH = 20;

/**
 * The items of all lists at the top of a section. A nested item with a bold key is a field of its own;
 * a nested item without one belongs to the field above it.
 */
export function readEntries(nodes: readonly RootContent[], source: string): Entry[] {
  const entries: Entry[] = [];
  for (const node of nodes) {
    if (node.type === "list") for (const item of node.children) readItem(item, source, entries, 0);
  }
  return entries;
}

function readItem(item: ListItem, source: string, entries: Entry[], depth: number, underField = false): void {
  const field = readField(item, source);
  const isPlain = !field && !underField && !isHarmless(item, source);
  if (field) entries.push({ field });
  else if (isPlain) entries.push({ plain: spanOf(item) });
  if (depth >= MAX_DEPTH) return;
  for (const child of item.children) {
    if (child.type !== "list") continue;
    for (const nested of child.children) {
      readItem(nested, source, entries, depth + 1, underField || isPlain || field !== undefined);
    }
  }
}

/** An item that says nothing by itself: empty, a comment, or the label, without arguments, of a list of fields. */
function isHarmless(item: ListItem, source: string): boolean {
  const own = item.children.filter(
    (child) => child.type !== "html" || withoutComments(child.value).trim() !== "",
  );
  if (own.length === 0) return true;
  const lists = own.filter((child) => child.type === "list");
  const labels = own.filter((child) => child.type !== "list");
  return (
    lists.some((list) => list.children.some((nested) => readField(nested, source))) &&
    labels.every((label) => isBlock(label) && !hasArguments(tokensIn(label.children, source, spanOf(label))))
  );
}

/** Whether tokens say anything to the machine. */
export const hasArguments = (tokens: readonly Token[]): boolean => tokens.some(({ kind }) => kind !== "text");

/** HTML without what it hides from readers. */
export const withoutComments = (html: string): string => html.replace(/<!--[\s\S]*?(?:-->|$)/g, "");

/** The field that a list item is, with the values of nested items that have no key of their own. */
export function readField(item: ListItem, source: string): Field | undefined {
  const block = item.children[0];
  if (!block || !isBlock(block)) return undefined;
  const key = keyOf(block);
  if (!key) return undefined;
  const value = { start: afterColon(source, key.span.end), end: spanOf(block).end };
  const field: Field = {
    key: key.text,
    keySpan: key.span,
    tokens: tokensIn(key.rest, source, value),
    span: spanOf(item),
    value,
    blocks: [],
    unread: [],
  };
  takeRest(item.children.slice(1), field, source, 0);
  return field;
}

/** Adds what follows a field's first block to its value, or to what has no tokens. */
function takeRest(nodes: readonly RootContent[], field: Field, source: string, depth: number): void {
  for (const node of nodes) {
    if (isBlock(node)) {
      const own = tokensIn(node.children, source, spanOf(node));
      if (isBlank(own)) continue;
      field.blocks.push(spanOf(node));
      // Set apart from the block before it, as a line end sets words apart.
      field.tokens.push(...own.map((token, index) => (index === 0 ? setApart(token) : token)));
    } else if (node.type === "list" && depth < MAX_DEPTH) {
      for (const item of node.children) {
        if (!isKeyed(item)) takeRest(item.children, field, source, depth + 1);
      }
    } else if (!isSilent(node)) {
      field.unread.push(node);
    }
  }
}

/** A field up to the first of the places inside it: from there on it is something else, lost for want of its bullet. */
export function upTo(field: Field, places: readonly Span[]): Field {
  const cut = places.find(({ start }) => field.keySpan.end <= start && start < field.span.end)?.start;
  if (cut === undefined) return field;
  const isBefore = ({ start }: Span): boolean => start < cut;
  const end = Math.min(field.value.end, cut);
  return {
    ...field,
    tokens: field.tokens.filter(isBefore),
    value: { start: Math.min(field.value.start, end), end },
    blocks: field.blocks.filter(isBefore),
    unread: field.unread.filter((node) => isBefore(spanOf(node))),
  };
}

const setApart = (token: Token): Token =>
  token.kind === "text" ? { ...token, text: ` ${token.text}` } : token;

/** Whether a list item starts with a bold key. */
export function isKeyed(item: ListItem): boolean {
  const block = item.children[0];
  return block !== undefined && isBlock(block) && keyOf(block) !== undefined;
}

/** Whether a node says nothing to anyone: a rule, or HTML that is a comment. */
const isSilent = (node: RootContent): boolean =>
  node.type === "thematicBreak" || (node.type === "html" && withoutComments(node.value).trim() === "");

export const isBlank = (tokens: readonly Token[]): boolean =>
  tokens.every((token) => token.kind === "text" && token.text.trim() === "");

/** A paragraph, or the heading that a line of dashes makes of one. */
export const isBlock = (node: { type: string }): node is Paragraph | Heading =>
  node.type === "paragraph" || node.type === "heading";

export type Key = { text: string; span: Span; rest: PhrasingContent[] };

/** The bold start of a block, its colon inside or after the bold left out. */
export function keyOf(block: Paragraph | Heading): Key | undefined {
  const start = block.children.findIndex((node) => !isSkipped(node));
  const first = block.children[start];
  if (!first) return undefined;
  const strong = first.type === "emphasis" && first.children.length === 1 ? first.children[0] : first;
  if (strong?.type !== "strong") return undefined;
  const text = foldWhitespace(toString(strong)).replace(/\s*:$/, "");
  return { text, span: spanOf(first), rest: block.children.slice(start + 1) };
}

const isSkipped = (node: PhrasingContent): boolean =>
  node.type === "html" || (node.type === "text" && node.value.trim() === "");

function afterColon(source: string, end: number): number {
  const colon = /[ \t]*:/y;
  colon.lastIndex = end;
  return colon.test(source) ? colon.lastIndex : end;
}

/** The tokens of phrasing content within a span; HTML is text for nobody and is left out. */
export function tokensIn(nodes: readonly PhrasingContent[], source: string, within: Span): Token[] {
  const leaves: Leaf[] = [];
  collectLeaves(nodes, leaves, 0);
  const refs = memoRefs(
    source,
    within,
    leaves.filter((leaf) => leaf.opaque),
  );
  const tokens: Token[] = [...refs];
  for (const leaf of leaves) {
    if (leaf.end <= within.start || leaf.hidden) continue;
    if (leaf.opaque) {
      if (!refs.some((ref) => overlaps(ref, leaf))) {
        tokens.push({ kind: "code", text: leaf.value.trim(), start: leaf.start, end: leaf.end });
      }
    } else {
      tokens.push(...textOutside(leaf, refs, source, within.start));
    }
  }
  return joined(tokens.sort((a, b) => a.start - b.start));
}

/** `opaque`: brackets inside it are not a memo reference. `hidden`: it says nothing. */
type Leaf = Span & { value: string; opaque: boolean; hidden: boolean };

function collectLeaves(nodes: readonly PhrasingContent[], leaves: Leaf[], depth: number): void {
  for (const node of nodes) {
    if (node.type === "text")
      leaves.push({ ...spanOf(node), value: node.value, opaque: false, hidden: false });
    else if (node.type === "inlineCode")
      leaves.push({ ...spanOf(node), value: node.value, opaque: true, hidden: false });
    else if (node.type === "html") leaves.push({ ...spanOf(node), value: "", opaque: true, hidden: true });
    else if (node.type === "break")
      leaves.push({ ...spanOf(node), value: " ", opaque: false, hidden: false });
    else if ("children" in node && depth < 200) collectLeaves(node.children, leaves, depth + 1);
  }
}

// Read from the source and not from the tree: a title may hold underscores or stars, and a link definition
// elsewhere in the memo would turn its brackets into a link.
function memoRefs(source: string, within: Span, opaque: readonly Span[]): Token[] {
  const refs: Token[] = [];
  const hidden = (offset: number): boolean =>
    opaque.some((leaf) => leaf.start <= offset && offset < leaf.end);
  let from = within.start;
  for (;;) {
    const start = source.indexOf("[[", from);
    if (start === -1 || start >= within.end) return refs;
    from = start + 2;
    if (hidden(start) || source[start - 1] === "\\") continue;
    let close = source.indexOf("]]", from);
    while (close !== -1 && hidden(close)) close = source.indexOf("]]", close + 1);
    if (close === -1 || close + 2 > within.end) return refs;
    const inner = source.slice(from, close);
    from = close + 2;
    const title = foldWhitespace(inner.split("|")[0] ?? "");
    if (title && !inner.includes("[[")) refs.push({ kind: "ref", text: title, start, end: close + 2 });
  }
}

function textOutside(leaf: Leaf, refs: readonly Span[], source: string, from: number): Token[] {
  const cuts = refs.filter((ref) => overlaps(ref, leaf));
  if (cuts.length === 0 && leaf.start >= from) {
    return [{ kind: "text", text: leaf.value, start: leaf.start, end: leaf.end }];
  }
  const pieces: Token[] = [];
  let start = Math.max(leaf.start, from);
  for (const cut of [...cuts, { start: leaf.end, end: leaf.end }]) {
    if (cut.start > start) {
      pieces.push({ kind: "text", text: source.slice(start, cut.start), start, end: cut.start });
    }
    start = Math.max(start, cut.end);
  }
  return pieces;
}

const overlaps = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;

function joined(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (const token of tokens) {
    const last = result.at(-1);
    if (last?.kind === "text" && token.kind === "text") {
      result[result.length - 1] = { ...last, text: last.text + token.text, end: token.end };
    } else {
      result.push(token);
    }
  }
  return result;
}
