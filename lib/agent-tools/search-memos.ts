import * as z from "zod";
import { AppError } from "../core/errors.ts";
import { queryFault } from "../core/query-terms.ts";
import { snippetOf } from "../memos/snippet.ts";
import { agentTool, READS } from "./agent-tool.ts";
import { AS_DATA } from "./get-run.ts";

/** Finds memos of the library; answers ids, versions and a line of each. */
export const searchMemos = agentTool({
  name: "search_memos",
  description: "Searches the library's memos; read one with read_memo.",
  scope: "memos:read",
  writes: false,
  hints: READS,
  input: z.strictObject({
    query: z.string().max(500).describe("words; tag:x, -tag:x, updated:7d filter"),
    tags: z.array(z.string().max(100)).max(20).optional(),
    limit: z.int().min(1).max(20).default(8),
  }),
  output: z.looseObject({
    hits: z.array(
      z.looseObject({
        id: z.string(),
        title: z.string(),
        snippet: z.string(),
        score: z.number(),
        version: z.int(),
      }),
    ),
  }),
  label: ({ query }) => query,
  async call(deps, { principal }, { query, tags, limit }) {
    const fault = queryFault(query);
    if (fault) {
      const message = `"${fault.term}" is not a term of a query. ${fault.hint}`;
      throw new AppError("invalid_request", message, { failing: [{ pointer: "/query", message }] });
    }
    const options = { top: limit, ...(tags && { tags }) };
    const found = await deps.search.searchMemos(principal.ownerUid, query, options);
    const hits = found.map(({ memo, score }) => ({
      id: memo.memoId,
      title: memo.title,
      snippet: snippetOf(memo.body, query),
      score: Math.round(score * 100) / 100,
      version: memo.contentVersion,
      ...(memo.tags.length > 0 && { tags: memo.tags }),
    }));
    const says =
      hits.length === 0 ? "No memo was found; try other words." : `${hits.length} memos, best first.`;
    return { says, value: { hits, note: AS_DATA } };
  },
});
