import type { EdgeKind } from "./edge.ts";

const SUBJECT_MAX = 120;

/** What a subject of a kind is about, where the report does not say. */
const HEAD: Record<EdgeKind, string> = {
  missing_tool: "tool",
  missing_data: "data",
  ambiguous_instruction: "instruction",
  contradiction: "term",
  low_confidence: "term",
  refused_by_policy: "policy",
  dispatch_conflict: "memo",
  budget_exhausted: "budget",
  recovery_exhausted: "step",
  judge_unsure: "session",
  incomplete_report: "step",
};

/** Words that tell nothing apart: "no calendar tool", "calendar tool missing" and `tool:calendar.read` are one subject. */
const FILLERS = new Set(
  (
    "a an and any are available be by can cannot do does for from get had has have here i in is it know known lack " +
    "lacks lacking list me missing my need needed needs no none not of on one or read reading required the there " +
    "this to unavailable unknown use using want was were what which with without " +
    "tool tools data memo memos note notes term terms step steps instruction instructions"
  ).split(" "),
);

/**
 * The canonical form of a subject, by which reports of one thing find each other: what it is about, then its telling
 * words in order of the alphabet. Wordings are kept with the reports.
 */
export function canonicalSubject(kind: EdgeKind, said: string): string {
  const text = said.normalize("NFKC").trim().toLowerCase();
  const named = /^([a-z]+):(.*)$/s.exec(text);
  const head = named?.[1] ?? HEAD[kind];
  // The name of a memo is one name, with all its words.
  if (head === "memo" && named) return cut(`memo:${named[2]!.trim().replace(/\s+/g, " ")}`);
  const words = (named?.[2] ?? text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const telling = words.filter((word) => !FILLERS.has(word));
  const kept = telling.length > 0 ? telling : words;
  return cut(`${head}:${[...new Set(kept)].toSorted().join("-") || "unnamed"}`);
}

const cut = (text: string): string => [...text].slice(0, SUBJECT_MAX).join("");
