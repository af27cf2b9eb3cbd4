import type { Context } from "hono";
import { parametersOf, type HttpEvent } from "../middleware/http-event.ts";
import { pagingOf, type Paging } from "../middleware/paging.ts";
import type { Principal } from "../../lib/core/principal.ts";
import type { PageSession } from "../../lib/page-sessions/page-session.ts";

/** What the middleware knows of a request to a page. */
export type PageEnv = {
  Bindings: { event: HttpEvent; at: number; wantsJson: boolean };
  Variables: { session: PageSession };
};
export type PageContext = Context<PageEnv>;

/** What a page is made from. */
export type PageRequest = {
  principal: Principal;
  params: Record<string, string>;
  query: Record<string, string>;
  paging: Paging;
  /** When the request came; the one time of everything that the page shows. */
  at: number;
  /** What every form carries. */
  formToken: string;
  /** Path and query, as the person sees them. */
  here: string;
};

/** The request as a page reads it; whose library it is comes from the session alone. */
export function pageRequestOf(c: PageContext): PageRequest {
  const { principal, formToken, cursorKey } = c.get("session");
  const params = c.req.param();
  const query = parametersOf(c.env.event.queryStringParameters);
  const place = [c.req.routePath, ...Object.values(params)];
  const url = new URL(c.req.url);
  return {
    principal,
    params,
    query,
    paging: pagingOf({ ownerUid: principal.ownerUid, place }, query, cursorKey),
    at: c.env.at,
    formToken,
    here: `${url.pathname}${url.search}`,
  };
}
