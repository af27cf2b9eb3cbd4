import { foldWhitespace, truncate } from "../core/text.ts";
import type { PromptPart } from "./model.ts";
import { citation } from "./quotes.ts";
import { termsOf } from "./terms.ts";

/** One line of a list that an earlier step made, with the memo it is from when the step says so. */
export type ListItem = { text: string; source: string | null };

const MAX_ITEMS = 40;
const TEXT_FIELDS = ["text", "item", "title", "sentence", "commitment", "summary", "note"];
const SOURCE_FIELDS = ["source", "memo", "from"];

/** The items of a step's JSON output; undefined when the output is no JSON. */
export function listItems(stepText: string): ListItem[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(stepText);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const list = Array.isArray(value) ? value : (Object.values(value).find(Array.isArray) ?? [value]);
  return list.slice(0, MAX_ITEMS).flatMap((entry: unknown) => itemOf(entry) ?? []);
}

function itemOf(entry: unknown): ListItem | undefined {
  if (typeof entry === "string") return named(entry, undefined);
  if (typeof entry !== "object" || entry === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(entry));
  const first = (names: readonly string[]) =>
    names.map((name) => fields.get(name)).find((value) => typeof value === "string" && value.trim() !== "");
  const text = first(TEXT_FIELDS) ?? [...fields.values()].find((value) => typeof value === "string");
  return typeof text === "string" ? named(text, first(SOURCE_FIELDS)) : undefined;
}

const named = (text: string, source: unknown): ListItem | undefined =>
  text.trim() === ""
    ? undefined
    : { text: truncate(foldWhitespace(text), 400), source: typeof source === "string" ? source : null };

/** List lines for items, each with its source where there is one. */
export const itemLines = (items: readonly ListItem[], mark = "-"): string =>
  items
    .map(({ text, source }) => `${mark} ${text}${source === null ? "" : ` ${citation(source)}`}`)
    .join("\n");

/**
 * A memo with new items below it, for instructions that ask to merge into it and keep every line; undefined when
 * they do not ask, or when no loaded memo is the one they name. The memo's own text stays byte for byte.
 */
export function mergeList(
  instructions: string,
  parts: readonly PromptPart[],
  items: readonly ListItem[],
): string | undefined {
  if (!/\bkeep (?:every|all) (?:the )?(?:existing )?lines?\b|\bmerged? (?:in|into)\b/i.test(instructions)) {
    return undefined;
  }
  const wanted = new Set(termsOf(instructions));
  const base = parts
    .filter((part) => part.kind === "gate" || part.kind === "search" || part.kind === "trigger")
    .map((part) => ({ part, terms: termsOf(part.title) }))
    .filter(({ terms }) => terms.length > 0 && terms.every((term) => wanted.has(term)))
    .toSorted((a, b) => b.terms.length - a.terms.length)[0]?.part;
  if (!base) return undefined;
  const folded = foldWhitespace(base.text);
  const fresh = items.filter(({ text }) => !folded.includes(text));
  if (fresh.length === 0) return base.text;
  return [
    base.text.trimEnd(),
    "## Proposed",
    "Taken from your memos by the offline writer; no language model was used. (assumed)",
    `${itemLines(fresh, "- [ ]")}\n`,
  ].join("\n\n");
}
