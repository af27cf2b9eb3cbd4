import * as z from "zod";
import { AppError } from "../../lib/core/errors.ts";
import { inParallel } from "../../lib/core/in-parallel.ts";
import { NOTICE_STATES, NoticePlace } from "../../lib/notices/store.ts";
import { Notices } from "../../lib/pages/notices.tsx";
import { requireScope } from "../middleware/authenticate.ts";
import { checked } from "../middleware/parse-body.ts";
import { formOf } from "./form.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PageContext } from "./page-request.ts";
import { page, type PagesApp } from "./page.ts";
import { workflowNames } from "./workflow-names.ts";

const NoticesQuery = z.object({ state: z.enum(NOTICE_STATES).default("unread") });

/** As many as a page lists may be marked at once. */
const MOST_MARKED = 100;
const MARKED_AT_ONCE = 8;

/** What an owner is told of. What an agent marked as read a person would not see: that takes a person's scope. */
export function noticePages(app: PagesApp, deps: PageDeps): void {
  page(app, "/steward/notices", {
    scope: "holds:read",
    title: () => "Notices",
    async read({ principal: { ownerUid }, query, paging }) {
      const { state } = checked(NoticesQuery, query, "query");
      const wanted = {
        state,
        limit: paging.limit({ max: 100, standard: 50 }),
        after: paging.after(NoticePlace),
      };
      const { items, next } = await deps.notices.list(ownerUid, wanted);
      const nameOf = await workflowNames(deps, ownerUid);
      const named = items.map((notice) => ({
        ...notice,
        workflow: notice.title ?? nameOf(notice.workflowId),
      }));
      return { state, ...paging.page(named, next) };
    },
    view: Notices,
  });

  app.post("/steward/notices/read", async (c) => {
    const form = await formOf(c);
    const { principal } = c.get("session");
    requireScope(principal, "holds:decide");
    const ids = form.all("notice").slice(0, MOST_MARKED);
    await inParallel(ids, MARKED_AT_ONCE, (id) => deps.notices.markRead(principal.ownerUid, id, c.env.at));
    return back(c, form.text("state"));
  });

  app.post("/steward/notices/:id/read", async (c) => {
    const form = await formOf(c);
    const { principal } = c.get("session");
    requireScope(principal, "holds:decide");
    const noticeId = c.req.param("id");
    const notice = await deps.notices.markRead(principal.ownerUid, noticeId, c.env.at);
    if (!notice) throw new AppError("notice_not_found", `there is no notice ${noticeId}`, { noticeId });
    return back(c, form.text("state"));
  });
}

/** To the list that the form stood in. */
function back(c: PageContext, state: string | undefined): Response {
  const known = NOTICE_STATES.find((each) => each === state);
  const query = known === undefined || known === "unread" ? "" : `?state=${known}`;
  return c.redirect(`/steward/notices${query}`, 303);
}
