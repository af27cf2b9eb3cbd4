import * as z from "zod";
import { queryFault } from "../../lib/core/query-terms.ts";
import { entryOf, listMemos, ListPlace } from "../../lib/memos/list.ts";
import type { MemosModel } from "../../lib/pages/memos.tsx";
import { snippetOf } from "../../lib/memos/snippet.ts";
import { ListQuery } from "../http-memos-requests.ts";
import { checked } from "../middleware/parse-body.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PageRequest } from "./page-request.ts";

const ListedQuery = ListQuery.shape.query.extend({
  // What is wrong with it is said beside the field.
  q: z.string().trim().max(1000).optional(),
  title: z.string().min(1).max(1000).optional(),
});

/** The library, or what is asked for of it: by a title, by a search, by tag and type. */
export async function readMemos(
  deps: PageDeps,
  { principal: { ownerUid }, query, paging }: PageRequest,
): Promise<MemosModel> {
  const { q, tag: tags, type: memoType, title } = checked(ListedQuery, query, "query");
  const asked = { q: q ?? "", tags, memoType: memoType ?? null, title: title ?? null, fault: null };
  const limit = paging.limit({ max: 100, standard: 50 });
  if (title) {
    const named = await deps.catalog.byTitle(ownerUid, title);
    return { ...asked, items: named.slice(0, limit).map(entryOf), nextCursor: null };
  }
  if (q) {
    paging.onlyPage();
    const fault = queryFault(q);
    if (fault) return { ...asked, fault, items: [], nextCursor: null };
    const wanted = { top: Math.min(limit, 50), tags, ...(memoType && { memoType }) };
    const hits = await deps.search.searchMemos(ownerUid, q, wanted);
    const items = hits.map(({ memo, score }) => ({
      ...entryOf(memo),
      score,
      snippet: snippetOf(`${memo.body}\n${memo.notes}`, q),
    }));
    return { ...asked, items, nextCursor: null };
  }
  const after = paging.after(ListPlace);
  const { items, next } = await listMemos(deps, ownerUid, { tags, memoType, limit, after });
  return { ...asked, ...paging.page(items, next) };
}
