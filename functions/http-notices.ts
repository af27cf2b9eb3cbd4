import * as z from "zod";
import { AppError } from "../lib/core/errors.ts";
import { NOTICE_STATES, NoticePlace, type NoticeStore } from "../lib/notices/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { ENV } from "./env.ts";
import { guardsOf } from "./guard-wiring.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { checked } from "./middleware/parse-body.ts";
import { route } from "./middleware/route.ts";
import { noticesOf } from "./record-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & { notices: NoticeStore };

const NoticesQuery = z.object({
  query: z.object({ state: z.enum(NOTICE_STATES).default("all") }),
});

/** What the owner is told of: holds that still wait or have expired, runs that have failed. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "GET /api/notices": route({
      scope: "holds:read",
      query: NoticesQuery.shape.query,
      async run({ principal, query, paging }) {
        const { state } = checked(NoticesQuery, { query }, "query").query;
        const page = {
          state,
          limit: paging.limit({ max: 100, standard: 25 }),
          after: paging.after(NoticePlace),
        };
        const { items, next } = await deps.notices.list(principal.ownerUid, page);
        return { status: 200, body: paging.page(items, next) };
      },
    }),
    "POST /api/notices/{id}/read": route({
      // A scope of people: what an agent marked as read, a person would not see.
      scope: "holds:decide",
      async run({ principal, params, at }) {
        const noticeId = params["id"] ?? "";
        const notice = await deps.notices.markRead(principal.ownerUid, noticeId, at);
        if (notice) return { status: 200, body: notice };
        throw new AppError("notice_not_found", `there is no notice ${noticeId}`, { noticeId });
      },
    }),
  });
}

export const handler = wired(createHandler, (wiring) => ({
  ...guardsOf(wiring),
  clock: wiring.clock,
  log: wiring.log,
  sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
  notices: noticesOf(wiring),
}));
