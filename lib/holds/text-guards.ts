import type { Nodes } from "mdast";
import { toString } from "mdast-util-to-string";
import { parseMarkdown, spanOf, type Markdown } from "../core/markdown.ts";
import { foldWhitespace } from "../core/text.ts";
import type { GuardResult } from "./guards.ts";

/** Most links that a message names. */
const SHOWN = 3;

/** Whether every heading of the text that is replaced is still there. What cannot be parsed does not pass. */
export function keepHeadings(base: string | null, text: string): GuardResult {
  const guard = "keep-headings";
  if (base === null) return { guard, passed: true, message: "a new memo has no headings to keep" };
  const before = parseMarkdown(base);
  const after = parseMarkdown(text);
  if (before.refused || after.refused) return unreadable(guard);
  const left = headingsOf(after);
  const lost = headingsOf(before).filter((heading) => {
    const at = left.indexOf(heading);
    // A heading that stands twice must stay twice.
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  if (lost.length === 0) return { guard, passed: true, message: "every heading is kept" };
  return { guard, passed: false, message: `lost ${named(lost.map((heading) => `"${heading}"`))}` };
}

/** Whether every `[[Title]]` outside code names a memo. The memo that is being made counts. */
export async function linksResolve(
  proposal: { title: string; text: string },
  hasMemo: (ref: string) => Promise<boolean>,
): Promise<GuardResult> {
  const guard = "links-resolve";
  const markdown = parseMarkdown(proposal.text);
  if (markdown.refused) return unreadable(guard);
  const refs = linksOf(markdown).filter((ref) => ref !== foldWhitespace(proposal.title));
  const known = await Promise.all(refs.map(hasMemo));
  const broken = refs.filter((_ref, index) => !known[index]);
  if (broken.length === 0) return { guard, passed: true, message: `${refs.length} links resolve` };
  return { guard, passed: false, message: `no memo is named ${named(broken.map((ref) => `[[${ref}]]`))}` };
}

const unreadable = (guard: string): GuardResult => ({
  guard,
  passed: false,
  message: "the text is nested too deep to be checked",
});

const named = (names: readonly string[]): string =>
  names.slice(0, SHOWN).join(", ") + (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "");

const headingsOf = ({ root }: Markdown): string[] =>
  nodesOf(root)
    .filter((node) => node.type === "heading")
    .map((node) => foldWhitespace(toString(node)));

/** Titles and ids between double brackets, each once. */
function linksOf({ source, root }: Markdown): string[] {
  let text = source;
  for (const node of nodesOf(root)) {
    if (node.type !== "code" && node.type !== "inlineCode") continue;
    const { start, end } = spanOf(node);
    text = text.slice(0, start) + " ".repeat(end - start) + text.slice(end);
  }
  const found = text.matchAll(/\[\[([^[\]|\n]{1,300})(?:\|[^[\]\n]*)?\]\]/g);
  return [...new Set([...found].map((match) => foldWhitespace(match[1] ?? "")))].filter((ref) => ref !== "");
}

function nodesOf(node: Nodes): Nodes[] {
  return "children" in node ? [node, ...node.children.flatMap((child) => nodesOf(child))] : [node];
}
