import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { parseMarkdown, type Markdown, type Syntax } from "../core/markdown.ts";

/** What the extension also knows and a reader here does not miss: an address is no link until its author says so. */
const UNREAD = [
  "wwwAutolink",
  "protocolAutolink",
  "emailAutolink",
  "gfmFootnoteDefinition",
  "gfmFootnoteCall",
  "gfmPotentialFootnoteCall",
];

/** Tables, ticks and strikethrough: to the compiler paragraphs, to a reader what they look like. */
const READ_ALSO: Syntax = {
  extensions: [gfm({ singleTilde: false }), { disable: { null: UNREAD } }],
  // Addresses are looked for in the finished tree, not while it is made.
  mdastExtensions: gfmFromMarkdown().filter((extension) => !("transforms" in extension)),
};

/** Marks that only a display reads; beyond them they would cost more than all that the budget counts. */
const MAX_PIPES = 10_000;
const MAX_TILDES = 2_000;

/** About a third of a second of a busy processor. */
const BUDGET = 400_000;

/** A text as its reader sees it: by the parser of the compiler, and within a budget. */
export function parseForDisplay(text: string): Markdown {
  const isPlain = count(text, "|") > MAX_PIPES || count(text, "~~") > MAX_TILDES;
  return parseMarkdown(text, BUDGET, isPlain ? {} : READ_ALSO);
}

function count(text: string, mark: string): number {
  let found = 0;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) found += 1;
  return found;
}
