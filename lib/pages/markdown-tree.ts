import type { Element, ElementContent, Root, RootContent, Text } from "hast";
import { sanitize } from "hast-util-sanitize";
import type { Root as Mdast } from "mdast";
import { toHast, type Handlers } from "mdast-util-to-hast";
import { printable } from "../core/printable.ts";
import { imageOf, linkOf, memoLink } from "./markdown-links.ts";
import { SCHEMA } from "./markdown-schema.ts";

/** Where a memo that a text names can be seen. */
export type MemoHref = (ref: string) => string;

type Around = { hrefOf: MemoHref; inLink: boolean; inCode: boolean };

/** A parsed text as a tree of what may be shown. */
export function shownTree(root: Mdast, hrefOf: MemoHref): Root {
  const tree = toHast(root, { handlers: HANDLERS, allowDangerousHtml: false }) as Root;
  const children = all(tree.children as ElementContent[], { hrefOf, inLink: false, inCode: false });
  return sanitize({ type: "root", children } satisfies Root, SCHEMA) as Root;
}

const el = (
  tagName: string,
  properties: Element["properties"],
  children: readonly ElementContent[],
): Element => ({ type: "element", tagName, properties, children: [...children] });

/** Markup that was written in the text is a text. */
const HANDLERS: Handlers = {
  html(_state, node: { value: string }, parent?: { type: string }) {
    const code = el("code", { className: ["html"] }, [{ type: "text", value: node.value }]);
    return parent?.type === "root" || parent?.type === "blockquote" || parent?.type === "listItem"
      ? el("pre", {}, [code])
      : code;
  },
  yaml(_state, { value }: { value: string }) {
    const lines = value.split("\n").length;
    const summary = `Front matter, ${lines} ${lines === 1 ? "line" : "lines"}`;
    return el("details", { className: ["front"] }, [
      el("summary", {}, [{ type: "text", value: summary }]),
      el("pre", {}, [el("code", {}, [{ type: "text", value }])]),
    ]);
  },
};

const all = (nodes: readonly ElementContent[], around: Around): ElementContent[] =>
  nodes.flatMap((node) => shown(node, around));

function shown(node: ElementContent | RootContent, around: Around): ElementContent[] {
  if (node.type === "text")
    return around.inCode || around.inLink
      ? [{ ...node, value: printable(node.value) }]
      : namesIn(node, around);
  if (node.type !== "element") return [];
  const { tagName, properties } = node;
  if (tagName === "img")
    return imageOf(textOf(properties["src"]), textOf(properties["alt"]), { inLink: around.inLink });
  const inside: Around = {
    ...around,
    inLink: around.inLink || tagName === "a",
    inCode: around.inCode || tagName === "code",
  };
  if (tagName === "input") return [tickOf(properties["checked"] === true)];
  const children = all(node.children, inside);
  if (tagName === "a") return linkOf(textOf(properties["href"]), children);
  const heading = /^h([1-6])$/.exec(tagName);
  // The page has the first one.
  if (heading) return [el(`h${Math.min(6, Number(heading[1]) + 1)}`, { dir: "auto" }, children)];
  if (tagName === "table") {
    const table = el("table", {}, children);
    return [el("div", { className: ["scroll"], role: "region", tabIndex: 0, ariaLabel: "Table" }, [table])];
  }
  if (tagName === "th")
    return [{ ...node, properties: { ...properties, scope: "col", dir: "auto" }, children }];
  if (DIRECTED.has(tagName)) return [{ ...node, properties: { ...properties, dir: "auto" }, children }];
  return [{ ...node, children }];
}

/** Each of these is read in the direction of its own first letter. */
const DIRECTED = new Set(["p", "ul", "ol", "li", "blockquote", "pre", "td"]);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const tickOf = (isDone: boolean): Element =>
  el("span", { className: ["tick"], role: "img", ariaLabel: isDone ? "done" : "to do" }, [
    { type: "text", value: isDone ? "☑" : "☐" },
  ]);

/** Memos and values that a text names, each known by its brackets. */
const NAMES = /\[\[([^[\]|\n]{1,300})(?:\|([^[\]\n]{0,300}))?\]\]|\{\{[^{}\n]{1,300}\}\}/g;

function namesIn({ value }: Text, { hrefOf }: Around): ElementContent[] {
  const nodes: ElementContent[] = [];
  let from = 0;
  const textUntil = (end: number): void => {
    if (end > from) nodes.push({ type: "text", value: printable(value.slice(from, end)) });
  };
  for (const { 0: whole, 1: ref, 2: label, index } of value.matchAll(NAMES)) {
    textUntil(index);
    from = index + whole.length;
    const name = ref?.trim();
    if (ref === undefined)
      nodes.push(el("code", { className: ["template"] }, [{ type: "text", value: printable(whole) }]));
    else if (name) nodes.push(memoLink(name, label?.trim() || name, hrefOf(name)));
    else nodes.push({ type: "text", value: printable(whole) });
  }
  textUntil(value.length);
  return nodes;
}
