import type { Heading, RootContent } from "mdast";
import { toString } from "mdast-util-to-string";
import { spanOf, type Markdown, type Span } from "../core/markdown.ts";
import { foldWhitespace, nearest } from "../core/text.ts";
import { didYouMean, type Report } from "./diagnostics.ts";

/** The sections of a workflow, in the order in which they stand. */
export const SECTIONS = ["Trigger", "Load Contract", "Steps", "Policy"] as const;
export type SectionName = (typeof SECTIONS)[number];

export type Section = { name: SectionName; heading: Span; nodes: RootContent[] };

export type Outline = { title: string | null; sections: Map<SectionName, Section> };

/** Divides a text into its sections and says what is wrong with their headings. */
export function outlineOf({ root, source, range }: Markdown, report: Report): Outline {
  const sections = new Map<SectionName, Section>();
  const proper = new Set(
    root.children.filter((node) => isSectionLevel(node)).map((node) => exactName(headingText(node))),
  );
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

  for (const node of root.children) {
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
        fix: { title: "Make it a section", span: spanOf(node), text: `## ${misplaced}` },
      });
      open(misplaced, node);
      continue;
    }
    current?.nodes.push(node);
  }
  checkOrder([...sections.values()], report);
  return { title, sections };
}

/** Says which sections are missing, at the end of the text, where they would be added. */
export function reportMissing(outline: Outline, { source }: Markdown, report: Report): void {
  const end = source.trimEnd().length;
  for (const name of SECTIONS) {
    if (outline.sections.has(name)) continue;
    report.error("MW001", { start: end, end }, `Section "${name}" is missing`, {
      hint: `Add "## ${name}". \`mythos new\` writes all four.`,
    });
  }
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
  if (node.type !== "paragraph") return undefined;
  const match = /^#{1,6}([^#\n]+)$/.exec(toString(node).trim());
  return match ? exactName(foldWhitespace(match[1] ?? "").replace(/\s*:$/, "")) : undefined;
}
