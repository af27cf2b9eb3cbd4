import { foldWhitespace, truncate } from "../core/text.ts";
import { DAY_MS } from "../core/duration.ts";
import { isOpen, type Edge } from "./edge.ts";

/** Longest list of one section; the rest is counted. */
const SHOWN = 20;

const QUESTION_MAX = 200;

type Section = { title: string; lines: string[]; more: number };

/**
 * A week of edges as Markdown, made from the rows alone and never by a model: what is new, what came again and what
 * it cost, what was answered and whether that helped, what is resolved, and what was opened again.
 */
export function weeklySection(edges: readonly Edge[], until: number): string {
  const since = until - 7 * DAY_MS;
  const within = (at: number | undefined): boolean => at !== undefined && at >= since && at < until;
  const seen = edges.filter(({ lastSeenAt }) => within(lastSeenAt));
  const sections = [
    section(
      "New",
      edges.filter((edge) => isOpen(edge) && within(edge.firstSeenAt)),
      lineOf,
    ),
    section(
      "Came again",
      seen.filter((edge) => isOpen(edge) && !within(edge.firstSeenAt)),
      costLine,
    ),
    section(
      "Answered",
      edges.filter(({ answer }) => within(answer?.at)),
      answerLine,
    ),
    section(
      "Resolved",
      edges.filter((edge) => edge.state === "resolved" && within(edge.resolution?.at)),
      resolvedLine,
    ),
    section(
      "Opened again",
      seen.filter((edge) => edge.reopenCount > 0 && isOpen(edge)),
      lineOf,
    ),
  ];
  const told = sections.filter(({ lines }) => lines.length > 0);
  if (told.length === 0) return "## What the loops did not know\n\nNothing was reported this week.\n";
  const texts = told.map(({ title, lines, more }) => {
    const rest = more > 0 ? [`- and ${more} more`] : [];
    return `### ${title}\n\n${[...lines, ...rest].join("\n")}`;
  });
  return `## What the loops did not know\n\n${texts.join("\n\n")}\n`;
}

function section(title: string, edges: readonly Edge[], line: (edge: Edge) => string): Section {
  const sorted = edges.toSorted((a, b) => b.count - a.count || a.firstSeenAt - b.firstSeenAt);
  return { title, lines: sorted.slice(0, SHOWN).map(line), more: Math.max(0, sorted.length - SHOWN) };
}

const lineOf = (edge: Edge): string =>
  `- \`${edge.subject}\` (${edge.kind.replaceAll("_", " ")}): ${plain(edge.question)}`;

const costLine = (edge: Edge): string =>
  `${lineOf(edge)} Met ${edge.count} times by ${edge.runsAffected} runs, ${edge.tokensSpent} tokens.`;

function answerLine(edge: Edge): string {
  const helped =
    edge.state === "resolved"
      ? "It helped."
      : edge.lastSeenAt > (edge.answer?.at ?? 0)
        ? "Met again since."
        : "Not tried yet.";
  return `${lineOf(edge)} ${helped}`;
}

const resolvedLine = (edge: Edge): string =>
  `- \`${edge.subject}\`: ${edge.resolution?.check ?? (edge.resolution?.runId ? `by run ${edge.resolution.runId}` : "by a person")}`;

/** Words of a report on one line, which cannot be read as anything else of the page. */
const plain = (text: string): string =>
  truncate(foldWhitespace(text), QUESTION_MAX).replaceAll(/[\\`*_[\]<>#|~!]/g, (mark) => `\\${mark}`);
