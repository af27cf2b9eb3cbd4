import type { List, ListItem, RootContent } from "mdast";
import { spanOf } from "../core/markdown.ts";
import { readField } from "./field.ts";
import type { Section, SectionName } from "./outline.ts";

const POLICY_KEYS =
  "approval,destination,target,tags,visibility,model,budget,retries,timeout,concurrency,dedupe key,hold expires,on changes requested,approve from,reviewers,guards,on failure".split(
    ",",
  );

/** What the lines of each section start with, in lower case. */
const KEYS: Record<SectionName, ReadonlySet<string>> = {
  Trigger: new Set(["command", "status", "invoke", "summary", "input"]),
  "Load Contract": new Set(["gate", "hook", "trigger", "search"]),
  Steps: new Set(["trigger", "context", "process", "output"]),
  Policy: new Set(POLICY_KEYS),
};

/**
 * The part of another section that a missing one would be, had it its heading: from some line on all are lines of
 * it and none is one of the section they stand in. Takes them out of that section.
 */
export function takeLost(
  name: SectionName,
  sections: readonly Section[],
  source: string,
): Section | undefined {
  for (const section of sections) {
    const lines = section.nodes.flatMap((node, index) =>
      node.type === "list"
        ? node.children.flatMap((item) => (readField(item, source) ? [{ node, index, item }] : []))
        : [],
    );
    const isLost = ({ item }: { item: ListItem }): boolean =>
      isLineOf(name, item, source) && !isLineOf(section.name, item, source);
    const first = lines.findLast((line, at) => isLost(line) && (at === 0 || !isLost(lines[at - 1] ?? line)));
    if (!first || !lines.slice(lines.indexOf(first)).every((line) => mayBeLineOf(name, line.item, source)))
      continue;
    const [above, below] = split(first.node, first.node.children.indexOf(first.item));
    const nodes = [...below, ...section.nodes.slice(first.index + 1)];
    section.nodes = [...section.nodes.slice(0, first.index), ...above];
    const { start } = spanOf(first.item);
    return { name, heading: { start, end: start }, nodes };
  }
  return undefined;
}

const mayBeLineOf = (name: SectionName, item: ListItem, source: string): boolean => {
  const key = readField(item, source)?.key.toLowerCase();
  return key !== undefined && KEYS[name].has(key);
};

/** A line of the load contract and a step may both be called trigger: a step's name stands in backticks. */
function isLineOf(name: SectionName, item: ListItem, source: string): boolean {
  const field = readField(item, source);
  const key = field?.key.toLowerCase() ?? "";
  if (!KEYS[name].has(key)) return false;
  if (key !== "trigger") return true;
  const first = field?.tokens.find((token) => token.kind !== "text" || token.text.trim() !== "");
  return (first?.kind === "code" && !first.text.startsWith("[[")) === (name === "Steps");
}

/** A list as one that ends before an item and one that starts with it. */
export function split(list: List, index: number): [above: RootContent[], below: RootContent[]] {
  const part = (items: ListItem[]): RootContent[] => {
    const [first, last] = [items[0], items.at(-1)];
    if (!first?.position || !last?.position) return [];
    return [{ ...list, children: items, position: { start: first.position.start, end: last.position.end } }];
  };
  return [part(list.children.slice(0, index)), part(list.children.slice(index))];
}
