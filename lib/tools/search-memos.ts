import type { SearchHit } from "../memos/search.ts";
import { snippetOf } from "../memos/snippet.ts";
import type { Tool } from "../core/tool.ts";

const STANDARD_HITS = 5;
const MAX_HITS = 20;

/** Finds notes of the run's owner; answers ids, titles and a line of each, for `read_memo` to go on with. */
export function createSearchMemos(deps: {
  searchNotes(ownerUid: string, query: string, limits: { top: number }): Promise<SearchHit[]>;
}): Tool {
  return {
    name: "search_memos",
    description:
      "Searches the owner's notes. The query is words, and tag:x, -tag:x, updated:7d as filters. " +
      "Answers a list of memos, best first; read one with read_memo.",
    input: {
      type: "object",
      required: ["query"],
      additionalProperties: false,
      properties: {
        query: { type: "string", minLength: 1, maxLength: 500 },
        top: { type: "integer", minimum: 1, maximum: MAX_HITS },
      },
    },
    async call({ ownerUid }, input) {
      const { query, top = STANDARD_HITS } = input as { query: string; top?: number };
      const hits = await deps.searchNotes(ownerUid, query, { top });
      if (hits.length === 0) return "No memo was found.";
      return JSON.stringify(
        hits.map(({ memo, score }) => ({
          memoId: memo.memoId,
          title: memo.title,
          score: Math.round(score * 100) / 100,
          tags: memo.tags,
          snippet: snippetOf(memo.body, query),
        })),
      );
    },
  };
}
