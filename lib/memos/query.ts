import { parseDuration } from "../core/duration.ts";

/** A search as its parts: the words that rank, and what a hit must and must not be. */
export type Query = {
  words: string;
  tags: readonly string[];
  notTags: readonly string[];
  /** How long ago a hit was changed at most; null for any time. */
  updatedWithinMs: number | null;
};

const TAG_TERM = /(?<=^|\s)(-?)tag:(?:"([^"]*)"|(\S+))/giu;
const UPDATED_TERM = /(?<=^|\s)updated:(\S+)/giu;

/**
 * Reads `words tag:x -tag:"two words" updated:7d`; never fails, since what is no term is a word. Who takes a
 * query from a person asks queryFault first; at run time its words may come out of a payload.
 */
export function parseQuery(text: string): Query {
  const tags: string[] = [];
  const notTags: string[] = [];
  let updatedWithinMs: number | null = null;
  const words = text
    .replace(TAG_TERM, (_term, minus: string, quoted?: string, bare?: string) => {
      (minus === "-" ? notTags : tags).push(foldTag(quoted ?? bare ?? ""));
      return " ";
    })
    .replace(UPDATED_TERM, (term: string, duration: string) => {
      const ms = parseDuration(duration);
      if (ms === undefined) return term;
      updatedWithinMs = ms;
      return " ";
    });
  return { words, tags, notTags, updatedWithinMs };
}

/** Whether a memo's tags are what the query asks for, without regard to case. */
export function tagsFit(tags: readonly string[], query: Pick<Query, "tags" | "notTags">): boolean {
  if (query.tags.length === 0 && query.notTags.length === 0) return true;
  const folded = new Set(tags.map(foldTag));
  return query.tags.every((tag) => folded.has(tag)) && !query.notTags.some((tag) => folded.has(tag));
}

export const foldTag = (tag: string): string => tag.normalize("NFC").toLowerCase();
