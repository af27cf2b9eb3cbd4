import type { Heading, RootContent } from "mdast";
import { toString } from "mdast-util-to-string";
import { spanOf, type Markdown, type Span } from "../core/markdown.ts";
import { foldWhitespace, nearest } from "../core/text.ts";
import { withoutComments } from "./field.ts";
import { split, takeLost } from "./lost-heading.ts";
import { didYouMean, type Report } from "./diagnostics.ts";

/** The sections of a workflow, in the order in which they stand. */
export const SECTIONS = ["Trigger", "Load Contract", "Steps", "Policy"] as const;
export type SectionName = (typeof SECTIONS)[number];

export type Section = { name: SectionName; heading: Span; nodes: RootContent[] };

export type Outline = {
  title: string | null;
  sections: Map<SectionName, Section>;
  /** Sections whose heading is there but not their lines: nothing more is said of them. */
  lost: Set<SectionName>;
};

/** Divides a text into its sections and says what is wrong with their headings. */
export function outlineOf({ root, source, range }: Markdown, report: Report): Outline {
  const sections = new Map<SectionName, Section>();
  const proper = new Set(
    root.children.filter((node) => isSectionLevel(node)).map((node) => exactName(headingText(node))),
  );
  const lost = new Set<SectionName>();
  let title: string | null = null;
  let current: Section | undefined;
  let inNotes = false;

  const open = (name: SectionName, node: RootContent): void => {
    const heading = spanOf(node);
    const earlier = sections.get(name);
    inNotes = false;
    current = { name, heading, nodes: [] };
    if (!earlier) {
      sections.set(name, current);
      return;
    }
    const { line } = range(earlier.heading).start;
    report.error("MW004", heading, `Section "${name}" appears twice`, {
      hint: `Merge it with the one on line ${line}.`,
      related: { message: `The first "${name}"`, span: earlier.heading },
    });
  };

  for (const node of root.children.flatMap((child) => outOfList(child))) {
    if (node.type === "heading" && node.depth === 1 && title === null && !current) {
      title = foldWhitespace(toString(node));
      continue;
    }
    if (isSectionLevel(node) && isDivider(node, source)) {
      const text = headingText(node);
      const exact = exactName(text);
      const near = exact ?? nearName(text);
      if (exact) {
        open(exact, node);
      } else if (near) {
        report.error("MW002", spanOf(node), `Unknown section "${text}"`, {
          hint: didYouMean(near),
          fix: { title: `Rename to "${near}"`, span: spanOf(node), text: `## ${near}` },
        });
        inNotes = false;
        current = undefined;
        // A misspelt heading is compiled as what it is near, so that it is one cause and not two.
        if (!proper.has(near) && !sections.has(near)) open(near, node);
      } else {
        report.info("MW003", spanOf(node), `Section "${text}" is notes; it is not compiled`);
        inNotes = true;
        current = undefined;
      }
      continue;
    }
    const misplaced = inNotes ? undefined : misplacedName(node);
    if (misplaced && !proper.has(misplaced) && !sections.has(misplaced)) {
      report.error("MW002", spanOf(node), `"${misplaced}" is not written as a section heading`, {
        hint: `Write "## ${misplaced}".`,
        fix:
          node.type === "html"
            ? undefined
            : { title: "Make it a section", span: spanOf(node), text: `## ${misplaced}` },
      });
      // The lines in a block of HTML are none, and what follows it may be the rest of them.
      if (node.type === "html") {
        lost.add(misplaced);
        current = undefined;
      } else {
        open(misplaced, node);
      }
      continue;
    }
    current?.nodes.push(node);
  }
  checkOrder([...sections.values()], report);
  return { title, sections, lost };
}

/**
 * Says which sections are missing: where their lines stand in another section, which they are then taken out of, or
 * else at the end of the text, where they would be added.
 */
export function reportMissing(outline: Outline, { source }: Markdown, report: Report): void {
  const end = source.trimEnd().length;
  for (const name of SECTIONS) {
    if (outline.sections.has(name) || outline.lost.has(name)) continue;
    const lost = takeLost(name, [...outline.sections.values()], source);
    const span = lost?.heading ?? { start: end, end };
    report.error("MW001", span, `Section "${name}" is missing`, {
      hint: `Add "## ${name}". \`mythos new\` writes all four.`,
      fix: lost && { title: `Add "## ${name}"`, span, text: `## ${name}\n` },
    });
    if (lost) outline.sections.set(name, lost);
  }
}

/** A list with a section's heading for an item, as what stands above it, the heading, and what stands below. */
function outOfList(node: RootContent): RootContent[] {
  if (node.type !== "list") return [node];
  const index = node.children.findIndex(({ children: [first] }) =>
    Boolean(first?.type === "heading" && exactName(headingText(first))),
  );
  const item = node.children[index];
  if (!item) return [node];
  const [above, below] = split(node, index);
  const [, rest] = below[0]?.type === "list" ? split(below[0], 1) : [[], []];
  const [heading, ...inside] = item.children;
  // Of another level than a section's, and from its bullet on: it is said that it is none.
  const lost: RootContent[] =
    heading?.type === "heading" && heading.position && item.position
      ? [{ ...heading, depth: 6, position: { ...heading.position, start: item.position.start } }]
      : [];
  return [...above, ...lost, ...inside, ...rest.flatMap((list) => outOfList(list))];
}

function checkOrder(sections: readonly Section[], report: Report): void {
  let latest: Section | undefined;
  for (const section of sections) {
    if (latest && SECTIONS.indexOf(section.name) < SECTIONS.indexOf(latest.name)) {
      report.warn("MW005", latest.heading, `"${latest.name}" comes before "${section.name}"`, {
        hint: "`mythos fmt` puts sections in order.",
      });
      return;
    }
    latest = section;
  }
}

/**
 * Whether a heading divides the text. A line of dashes below a paragraph makes a heading too, and so does a
 * `##` before a field, by accident as a rule: as a section of notes it would swallow the fields that follow.
 */
function isDivider(node: Heading, source: string): boolean {
  if (exactName(headingText(node))) return true;
  const { start, end } = spanOf(node);
  return source[start] === "#" && !/(?:\*\*|__).*(?:`|\[\[)/s.test(source.slice(start, end));
}

const isSectionLevel = (node: RootContent): node is Heading => node.type === "heading" && node.depth === 2;

const headingText = (node: RootContent): string => foldWhitespace(toString(node)).replace(/\s*:$/, "");

const exactName = (text: string): SectionName | undefined =>
  SECTIONS.find((name) => name.toLowerCase() === text.toLowerCase());

function nearName(text: string): SectionName | undefined {
  const word = text.toLowerCase();
  const sharesStart = (name: string): boolean =>
    word.slice(0, 4) === name.slice(0, 4).toLowerCase() && Math.abs(word.length - name.length) <= 4;
  return (
    (nearest(text, SECTIONS) as SectionName | undefined) ??
    SECTIONS.find(sharesStart) ??
    (word === "load" || word === "loads" || word === "contract" ? "Load Contract" : undefined)
  );
}

/** The section that a heading of another level, or a `##Name` without its space, was meant to open. */
function misplacedName(node: RootContent): SectionName | undefined {
  if (node.type === "heading") return exactName(headingText(node));
  if (node.type === "html") {
    const inside = /^[ \t]*##[ \t]+([^#\n]+?)[ \t#]*$/m.exec(withoutComments(node.value));
    return inside ? exactName(foldWhitespace(inside[1] ?? "")) : undefined;
  }
  if (node.type !== "paragraph") return undefined;
  const match = /^#{1,6}([^#\n]+)$/.exec(toString(node).trim());
  return match ? exactName(foldWhitespace(match[1] ?? "").replace(/\s*:$/, "")) : undefined;
}
