/** A search as its parts: the words that rank, and the tags that a hit must or must not have. */
export type Query = { words: string; tags: readonly string[]; notTags: readonly string[] };

const TAG_TERM = /(?<=^|\s)(-?)tag:(?:"([^"]*)"|(\S+))/giu;

/** Reads `words tag:x -tag:"two words"`; never fails, since what is no term is a word. */
export function parseQuery(text: string): Query {
  const tags: string[] = [];
  const notTags: string[] = [];
  const words = text.replace(TAG_TERM, (_term, minus: string, quoted?: string, bare?: string) => {
    (minus === "-" ? notTags : tags).push(foldTag(quoted ?? bare ?? ""));
    return " ";
  });
  return { words, tags, notTags };
}

/** Whether a memo's tags are what the query asks for, without regard to case. */
export function tagsFit(tags: readonly string[], query: Pick<Query, "tags" | "notTags">): boolean {
  if (query.tags.length === 0 && query.notTags.length === 0) return true;
  const folded = new Set(tags.map(foldTag));
  return query.tags.every((tag) => folded.has(tag)) && !query.notTags.some((tag) => folded.has(tag));
}

export const foldTag = (tag: string): string => tag.normalize("NFC").toLowerCase();
