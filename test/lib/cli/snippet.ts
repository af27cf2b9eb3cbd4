import { readFileSync } from "node:fs";

/** The smallest workflow, into which the examples of `mythos explain` are put. */
const BASE = readFileSync(new URL("../../fixtures/workflows/smallest/workflow.md", import.meta.url), "utf8");

const keyOf = (line: string): string | undefined => /^- \*\*([^*]+)\*\*/.exec(line)?.[1];

/**
 * The smallest workflow with an example in one of its sections: a whole section in its place, steps by their
 * numbers, fields in place of those with their keys.
 */
export function withSnippet(section: string, snippet: string): string {
  const sections = BASE.split(/^(?=## )/m);
  const changed = sections.map((text) => {
    if (!text.startsWith(`## ${section}\n`)) return text;
    if (snippet.startsWith("## ")) return `${snippet}\n\n`;
    return section === "Steps" ? withSteps(text, snippet) : withFields(text, snippet);
  });
  return changed.join("");
}

function withSteps(text: string, snippet: string): string {
  const stepsOf = (steps: string) => steps.split(/^(?=\d+\. )/m).filter((step) => /^\d/.test(step));
  const given = stepsOf(snippet);
  const first = Number(given[0]?.[0]);
  const whole = given.length > 1 || first === 1;
  const base = stepsOf(text);
  const before = base.slice(0, first - 1);
  const after = whole ? [] : base.slice(first);
  return `## Steps\n${[...before, ...given, ...after].map((step) => step.trimEnd()).join("\n")}\n\n`;
}

/** A key near one of the example's is what was misspelt there. */
function withFields(text: string, snippet: string): string {
  const keys = snippet.split("\n").map((line) => keyOf(line) ?? line.replace(/^- (\w+).*/, "$1"));
  const kept = text
    .trimEnd()
    .split("\n")
    .filter((line) => !keys.some((key) => isNear(key, keyOf(line))));
  return `${[...kept, snippet].join("\n")}\n\n`;
}

const isNear = (key: string, other: string | undefined): boolean =>
  other !== undefined &&
  (key === other || (key.slice(0, 2) === other.slice(0, 2) && Math.abs(key.length - other.length) === 1));
