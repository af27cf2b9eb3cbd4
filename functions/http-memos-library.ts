import { requesterOf } from "../lib/core/principal.ts";
import { importMemos } from "../lib/memos/import.ts";
import { entryOf, listMemos, ListPlace } from "../lib/memos/list.ts";
import { snippetOf } from "../lib/memos/snippet.ts";
import { ImportRequest, ListQuery, listQuery, MEMO_BODY_MAX_BYTES } from "./http-memos-requests.ts";
import type { MemosDeps } from "./http-memos-wiring.ts";
import { route } from "./middleware/route.ts";

/** Routes over many memos: the list, the search and the import. */
export function libraryRoutes(deps: MemosDeps) {
  return {
    "GET /api/memos": route({
      scope: "memos:read",
      query: ListQuery.shape.query,
      async run({ principal: { ownerUid }, query, paging }) {
        const { q, tag: tags, type: memoType } = listQuery(query);
        if (q) {
          paging.onlyPage();
          const top = paging.limit({ max: 50, standard: 10 });
          const hits = await deps.search.searchMemos(ownerUid, q, {
            top,
            tags,
            ...(memoType && { memoType }),
          });
          const items = hits.map(({ memo, score }) => ({
            ...entryOf(memo),
            score,
            snippet: snippetOf(`${memo.body}\n${memo.notes}`, q),
          }));
          return { status: 200, body: paging.page(items, null), activity: { command: q } };
        }
        const limit = paging.limit({ max: 100, standard: 50 });
        const after = paging.after(ListPlace);
        const { items, next } = await listMemos(deps, ownerUid, { tags, memoType, limit, after });
        return { status: 200, body: paging.page(items, next) };
      },
    }),
    "POST /api/memos/import": route({
      scope: "memos:write",
      body: ImportRequest,
      maxBodyBytes: MEMO_BODY_MAX_BYTES,
      async run({ principal, session, body }) {
        const owner = {
          ownerUid: principal.ownerUid,
          writtenBy: requesterOf(principal),
          sessionId: session,
          workflows: principal.scopes.includes("workflows:write"),
        };
        const files = await importMemos(deps, owner, body.files);
        for (const file of files) {
          if (file.outcome !== "created" && file.outcome !== "updated") continue;
          await deps.memoChanged({ ...file, ownerUid: principal.ownerUid });
        }
        const isChanged = files.some(({ outcome }) => outcome === "created" || outcome === "updated");
        if (isChanged) await deps.titlesChanged?.(principal.ownerUid);
        return { status: 200, body: { files } };
      },
    }),
  };
}
