import { isId } from "../../lib/core/ids.ts";
import { memoView, ownMemo } from "../../lib/memos/edit.ts";
import { MemoPage } from "../../lib/pages/memo.tsx";
import { MemoVersion } from "../../lib/pages/memo-version.tsx";
import { Memos } from "../../lib/pages/memos.tsx";
import { versionNamed, versionsOf } from "../http-memos-versions.ts";
import { requireScope } from "../middleware/authenticate.ts";
import { holdsOn, usesOf } from "./memo-facts.ts";
import { readMemos } from "./memo-list.ts";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";

/** The library: its memos, their versions, and what became of them in between. */
export function memoPages(app: PagesApp, deps: PageDeps): void {
  // What double brackets name is a title or an id; where it is one memo, that is where they lead.
  app.get("/steward/memos", async (c, next) => {
    const { principal } = c.get("session");
    const title = c.req.query("title");
    if (c.env.wantsJson || !title) return next();
    requireScope(principal, "memos:read");
    const named = await deps.catalog.byTitle(principal.ownerUid, title);
    const memoId = named.length === 1 ? named[0]?.memoId : isId("memo", title) ? title : undefined;
    return memoId ? c.redirect(`/steward/memos/${memoId}`, 302) : next();
  });
  page(app, "/steward/memos", {
    scope: "memos:read",
    title: () => "Memos",
    read: (request) => readMemos(deps, request),
    view: Memos,
  });

  page(app, "/steward/memos/:id", {
    scope: "memos:read",
    title: ({ memo }) => memo.title,
    async read({ principal: { ownerUid, scopes }, params, query, paging }) {
      const memo = await ownMemo(deps, ownerUid, params["id"] ?? "");
      const { memoId } = memo;
      const { from, to } = query;
      const [versions, used, holds, before, after] = await Promise.all([
        versionsOf(deps, ownerUid, memoId, paging),
        usesOf(deps, ownerUid, memo),
        scopes.includes("holds:read") ? holdsOn(deps, ownerUid, memoId) : [],
        from === undefined ? null : versionNamed(deps, ownerUid, memoId, from),
        from === undefined || to === undefined ? memo : versionNamed(deps, ownerUid, memoId, to),
      ]);
      return {
        memo: memoView(memo),
        versions,
        used,
        holds,
        compared: before && { from: memoView(before), to: memoView(after) },
      };
    },
    view: MemoPage,
  });

  page(app, "/steward/memos/:id/versions/:n", {
    scope: "memos:read",
    title: ({ version }) => `${version.title}, version ${version.contentVersion}`,
    async read({ principal: { ownerUid }, params }) {
      const { memoId, contentVersion: newest } = await ownMemo(deps, ownerUid, params["id"] ?? "");
      return { version: memoView(await versionNamed(deps, ownerUid, memoId, params["n"] ?? "")), newest };
    },
    view: MemoVersion,
  });
}
