import type { List, ListItem, RootContent } from "mdast";
import { toString } from "mdast-util-to-string";
import { parseMarkdown, spanOf, type Span } from "../../core/markdown.ts";

const SECTIONS = ["Trigger", "Load Contract", "Steps", "Policy"] as const;
type SectionName = (typeof SECTIONS)[number];

/** The order of dialect and documents. The lines of a load contract and the steps have an order of their own. */
const KEYS: Partial<Record<SectionName, readonly string[]>> = {
  Trigger: ["command", "invoke", "status", "summary", "input"],
  Policy: [
    "approval",
    "destination",
    "target",
    "tags",
    "visibility",
    "model",
    "budget",
    "retries",
    "timeout",
    "concurrency",
    "dedupe key",
    "hold expires",
    "on changes requested",
    "approve from",
    "reviewers",
    "guards",
    "on failure",
  ],
};

type Part = { name: SectionName | null; heading: Span | null; nodes: RootContent[] };

/**
 * The text with its sections and keys in order, one blank line between sections, tight lists of fields and LF line
 * ends. Words are never changed. The caller makes sure that it compiles to the same manifest.
 */
export function formatWorkflow(text: string): string {
  const { source, root, refused } = parseMarkdown(text);
  if (refused) return text;
  const [preamble, ...parts] = partsOf(root.children);
  const sections = SECTIONS.flatMap((name) => parts.filter((part) => part.name === name));
  const notes = parts.filter((part) => part.name === null);
  const blocks = [
    verbatim(preamble?.nodes ?? [], source),
    ...[...sections, ...notes].map((part) => formatPart(part, source)),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

/** What stands before the first section, then each section and each part of notes. */
function partsOf(nodes: readonly RootContent[]): Part[] {
  const parts: Part[] = [{ name: null, heading: null, nodes: [] }];
  for (const node of nodes) {
    if (node.type === "heading" && node.depth === 2) {
      const title = toString(node).trim().replace(/\s*:$/, "").toLowerCase();
      const name = SECTIONS.find((known) => known.toLowerCase() === title) ?? null;
      parts.push({ name, heading: spanOf(node), nodes: [] });
    } else parts.at(-1)?.nodes.push(node);
  }
  return parts;
}

function formatPart({ name, heading, nodes }: Part, source: string): string {
  const title = name ? `## ${name}` : slice(heading ?? { start: 0, end: 0 }, source);
  const keys = name ? KEYS[name] : undefined;
  const isFields = name === "Load Contract" || keys !== undefined;
  const body = isFields
    ? nodes
        .map((node) =>
          node.type === "list" ? formatList(node, keys ?? [], source) : slice(spanOf(node), source),
        )
        .join("\n\n")
    : verbatim(nodes, source);
  if (body === "") return title;
  return nodes[0]?.type === "list" ? `${title}\n${body}` : `${title}\n\n${body}`;
}

function formatList(list: List, keys: readonly string[], source: string): string {
  const items = list.children.map((item) => ({ item, text: itemText(item, source) }));
  // A numbered list of fields is left alone: its numbers would not fit another order.
  if (list.ordered) return slice(spanOf(list), source);
  const rank = (item: ListItem): number => {
    const at = keys.indexOf(keyOf(item));
    return at === -1 ? keys.length : at;
  };
  const known = items.every(({ item }) => keys.length === 0 || keys.includes(keyOf(item)));
  const ordered = known ? items.toSorted((a, b) => rank(a.item) - rank(b.item)) : items;
  return ordered.map(({ text }) => text).join("\n");
}

/** The item with a dash for its bullet; its further lines keep their indent, since the dash is as wide as `*` and `+`. */
function itemText(item: ListItem, source: string): string {
  const lines = slice(spanOf(item), source).split("\n");
  const [first = "", ...rest] = lines;
  return [first.replace(/^[*+-]/, "-").trimEnd(), ...rest].join("\n").trimEnd();
}

function keyOf(item: ListItem): string {
  const block = item.children[0];
  const first = block && "children" in block ? block.children[0] : undefined;
  return first?.type === "strong" ? toString(first).trim().replace(/\s*:$/, "").toLowerCase() : "";
}

/** From the first of these to the last, with what stands between them, and no blank lines around. */
function verbatim(nodes: readonly RootContent[], source: string): string {
  const first = nodes[0];
  const last = nodes.at(-1);
  if (!first || !last) return "";
  // From the start of its line: the indent of a first line is part of what follows it.
  const start = source.lastIndexOf("\n", spanOf(first).start - 1) + 1;
  return source.slice(start, spanOf(last).end).trimEnd();
}

const slice = ({ start, end }: Span, source: string): string => source.slice(start, end).trimEnd();
