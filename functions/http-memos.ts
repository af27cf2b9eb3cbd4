import {
  changeMemo,
  createMemo,
  MemoChange,
  memoView,
  NewMemo,
  ownMemo,
  removeMemo,
} from "../lib/memos/edit.ts";
import type { Memo } from "../lib/memos/memo.ts";
import { guardsOf } from "./guard-wiring.ts";
import { libraryRoutes } from "./http-memos-library.ts";
import { versionRoutes } from "./http-memos-versions.ts";
import { etagOf, MEMO_BODY_MAX_BYTES, versionOf } from "./http-memos-requests.ts";
import { memosDeps, type MemosDeps } from "./http-memos-wiring.ts";
import { httpHandler } from "./middleware/http-handler.ts";
import { route } from "./middleware/route.ts";
import { wired } from "./wiring.ts";

/** Memos over HTTP. Another owner's memo is answered as an unknown one. */
export function createHandler(deps: MemosDeps) {
  return httpHandler(deps, {
    ...libraryRoutes(deps),
    ...versionRoutes(deps),
    "POST /api/memos": route({
      scope: "memos:write",
      body: NewMemo,
      maxBodyBytes: MEMO_BODY_MAX_BYTES,
      repeats: {},
      async run({ principal, session: sessionId, body }) {
        const memo = await createMemo(deps, { principal, sessionId }, body);
        await deps.memoChanged(memo);
        await deps.titlesChanged?.(principal.ownerUid);
        return { status: 201, ...shownMemo(memo) };
      },
    }),
    "GET /api/memos/{id}": route({
      scope: "memos:read",
      async run({ principal, params }) {
        const memo = await ownMemo(deps, principal.ownerUid, params["id"] ?? "");
        return { status: 200, ...shownMemo(memo) };
      },
    }),
    "PUT /api/memos/{id}": route({
      scope: "memos:write",
      body: MemoChange,
      maxBodyBytes: MEMO_BODY_MAX_BYTES,
      async run({ principal, session: sessionId, params, header, body }) {
        const target = { memoId: params["id"] ?? "", base: versionOf(header("if-match")) };
        const memo = await changeMemo(deps, { principal, sessionId }, target, body);
        await deps.memoChanged(memo);
        if (body.title !== undefined) await deps.titlesChanged?.(principal.ownerUid);
        return { status: 200, ...shownMemo(memo) };
      },
    }),
    "DELETE /api/memos/{id}": route({
      scope: "memos:write",
      async run({ principal, params, header }) {
        const target = { memoId: params["id"] ?? "", base: versionOf(header("if-match")) };
        const memo = await removeMemo(deps, principal, target);
        const { memoId } = memo;
        if (memo.memoType === "workflow") await deps.workflowRemoved?.(memo);
        return { status: 200, body: { memoId, deleted: true } };
      },
    }),
  });
}

/** A version's texts never change, so what an answer leaves out is read at its version. */
const shownMemo = (memo: Memo) => ({
  headers: etagOf(memo),
  body: memoView(memo),
  textsAt: `GET /api/memos/${memo.memoId}/versions/${memo.contentVersion}`,
});

export const handler = wired(createHandler, (wiring) => ({ ...guardsOf(wiring), ...memosDeps(wiring) }));
