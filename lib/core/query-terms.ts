import { parseDuration } from "./duration.ts";

/** A word of a search that looks like a term and is none. */
export type QueryFault = { term: string; start: number; end: number; hint: string };

const TERM = /(?<=^|\s)-?(updated|status):(?:"[^"]*"|\S+)/giu;

/**
 * What a search would take for words though it says how to filter: `updated:7` without its unit, and `status:`,
 * which memos do not have. Null when there is nothing of the kind; a part that a template fills is not judged.
 */
export function queryFault(query: string): QueryFault | null {
  for (const match of query.matchAll(TERM)) {
    const [term, name = ""] = match;
    const value = term.slice(term.indexOf(":") + 1);
    const isUpdated = name.toLowerCase() === "updated";
    if (value.includes("{{") || (isUpdated && !term.startsWith("-") && parseDuration(value) !== undefined))
      continue;
    const hint = isUpdated
      ? "Write updated:7d, a whole number with s, m, h or d."
      : "Memos have no status. Terms: tag:x, -tag:x, updated:7d; all else is words.";
    return { term, start: match.index, end: match.index + term.length, hint };
  }
  return null;
}
