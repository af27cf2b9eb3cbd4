import { foldWhitespace, truncate } from "../core/text.ts";
import type { ModelRequest } from "./model.ts";
import { requestedHeadings, wordsUnder } from "./headings.ts";
import { queryOf, type Query } from "./rank.ts";

/** What a step asks for, as far as the offline writer can read it. */
export type Brief = {
  /** The draft's heading. */
  topic: string;
  /** What the asker wrote, for saying which of its words no memo has; empty when nothing was asked. */
  question: string;
  query: Query;
  asksWhy: boolean;
  /** Headings that the instructions or a gate ask for, in order; none mostly. */
  sections: readonly string[];
  maxWords: number;
  wantsSources: boolean;
  /** Titles that a reviewer asked to leave out. */
  without: readonly string[];
  facts: readonly Fact[];
  /** Whether a reviewer sent an earlier draft back. */
  sentBack: boolean;
};

/** A field of the payload as text. */
export type Fact = { name: string; text: string };

const TOPIC_FIELDS = ["topic", "question", "title", "subject", "query", "name", "summary"];
/** Words of instructions that are about writing, not about what is written. */
const OF_WRITING =
  /\b(?:writ\w*|draft\w*|parts?|sections?|add(?:ed)?|lists?|steps?|outputs?|checklist|fix|check|memos?|brief|loaded|mark|assum\w*|aim|words?|sentences?|instructions?)\b/gi;
const DEFAULT_WORDS = 450;
const MAX_TOPIC_CHARS = 160;

/** Reads a request; rules come from the instructions, gates, hooks and a reviewer only, never from other parts. */
export function briefOf(request: Pick<ModelRequest, "instructions" | "parts" | "stepId">): Brief {
  const { instructions, parts } = request;
  const facts = parts.filter((part) => part.kind === "payload").flatMap((part) => factsOf(part.text));
  const topicFact = topicOf(facts);
  const question = foldWhitespace(topicFact?.text ?? "");
  const review = parts.filter((part) => part.kind === "revision").map((part) => reasonOf(part.text));
  const rules = [
    instructions,
    ...parts.filter((part) => part.kind === "gate" || part.kind === "hook").map((part) => part.text),
  ];
  const words = foldWhitespace(review.join(" "));
  const limit = Math.min(DEFAULT_WORDS * 4, ...[...rules, words].flatMap(wordLimits));
  const base = limit === DEFAULT_WORDS * 4 ? DEFAULT_WORDS : limit;
  const sections = rules.map(requestedHeadings).find((found) => found.length > 0) ?? [];
  return {
    topic: truncate(question || foldWhitespace(subjectOf(instructions) ?? request.stepId), MAX_TOPIC_CHARS),
    question,
    query: queryOf([
      { text: question, weight: 3 },
      { text: words, weight: 2 },
      ...facts.filter((fact) => fact !== topicFact && isProse(fact)).map(({ text }) => ({ text, weight: 1 })),
      // Instructions tell how to write; with a question at hand their words would only blur it.
      { text: instructions.replace(OF_WRITING, " "), weight: question === "" ? 1 : 0.1 },
      { text: sections.map(wordsUnder).join(" "), weight: 1 },
    ]),
    asksWhy: /\bwhy\b|\breasons?\b/i.test(`${question} ${words}`),
    sections,
    maxWords: /\bshort(?:er|en)\b|\btoo long\b|\bcut (?:it|this) down\b/i.test(words)
      ? Math.ceil(base / 2)
      : base,
    wantsSources: rules.some((rule) => /\b(?:lists?|section|heading|ends?)\b[^.\n]*\bsources\b/i.test(rule)),
    without: [...words.matchAll(/\b(?:without|drop|remove|leave out)\s+\[\[([^\]]+)\]\]/gi)].map(
      (match) => match[1] ?? "",
    ),
    facts,
    sentBack: words !== "",
  };
}

/** The scalar fields of a payload text; a text that is no JSON object is one nameless fact. */
export function factsOf(payloadText: string): Fact[] {
  let payload: unknown;
  try {
    payload = JSON.parse(payloadText);
  } catch {
    return payloadText.trim() === "" ? [] : [{ name: "", text: payloadText }];
  }
  return flatten("", payload, 0);
}

function flatten(name: string, value: unknown, depth: number): Fact[] {
  if (value === null || value === undefined || value === "" || depth > 4) return [];
  if (typeof value !== "object") return [{ name, text: typeof value === "string" ? value : String(value) }];
  return Object.entries(value).flatMap(([key, member]) =>
    flatten(Array.isArray(value) || name === "" ? name || key : `${name}.${key}`, member, depth + 1),
  );
}

/** Whether a fact is words, not an id, an address, a number or a switch. */
export const isProse = ({ name, text }: Fact): boolean =>
  /\p{L}{2}/u.test(text) &&
  !/^(?:https?:|[a-z]+_[0-9a-z]+$|true$|false$)/i.test(text.trim()) &&
  !name.endsWith("Id");

const topicOf = (facts: readonly Fact[]): Fact | undefined =>
  TOPIC_FIELDS.map((field) => facts.find((fact) => fact.name === field && isProse(fact))).find(Boolean) ??
  facts.find(isProse);

/** As much of a reviewer's words as is read. */
const reasonOf = (text: string): string => truncate(text, 600);

/** The thing that instructions ask for: "Write the digest in three parts" is about a digest. */
function subjectOf(instructions: string): string | undefined {
  const match =
    /\b(?:write|draft|compose|make|list|summari[sz]e|prepare)\s+(?:(?:the|a|an|this|one)\s+)?([\p{L}][\p{L} -]{1,40}?)(?=\s+(?:in|of|from|with|for|about|that|merged)\b|[.,:;\n]|$)/iu.exec(
      instructions,
    );
  const subject = match?.[1];
  return subject === undefined ? undefined : subject.charAt(0).toUpperCase() + subject.slice(1);
}

/** Limits like "at most 400 words" or "aim for 600 words"; small ones are about a sentence or a title, not the text. */
function wordLimits(rule: string): number[] {
  const found = rule.matchAll(
    /\b(?:at most|no more than|not more than|under|below|up to|fewer than|aim for|about|within|maximum of)\s+(\d{2,5})\s+words\b/gi,
  );
  return [...found].map((match) => Number(match[1])).filter((limit) => limit >= 60);
}
