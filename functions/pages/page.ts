import type { Hono } from "hono";
import type { Scope } from "../../lib/core/principal.ts";
import { Layout } from "../../lib/pages/layout.tsx";
import type { Html, Shown } from "../../lib/pages/shown.ts";
import { requireScope } from "../middleware/authenticate.ts";
import { sentAnswer } from "../middleware/sent-answer.ts";
import { pageRequestOf, type PageContext, type PageEnv, type PageRequest } from "./page-request.ts";

/** A page: who may see it, what it is made from, how it looks. */
export type PageRules<M> = {
  scope: Scope;
  /** What the page shows, and its twin answers as it is. */
  read(request: PageRequest): Promise<M>;
  title(model: M): string;
  view(model: M, shown: Shown): Html;
};

export type PagesApp = Hono<PageEnv>;

/** Serves a page, and under the same path with `.json` what it is made from. */
export function page<M>(app: PagesApp, path: string, rules: PageRules<M>): void {
  app.get(path, async (c) => {
    const request = pageRequestOf(c);
    requireScope(request.principal, rules.scope);
    const model = await rules.read(request);
    return c.env.wantsJson ? twinAnswer(c, model) : showPage(c, rules, model);
  });
}

/** The twin within what Lambda sends, as of every route: its longest texts are left out, and each can be asked for alone. */
function twinAnswer(c: PageContext, model: unknown): Response {
  const { statusCode, headers, body, isBase64Encoded } = sentAnswer(c.env.event, {
    status: 200,
    body: model,
  });
  const text = isBase64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
  return c.body(text, statusCode as 200, headers);
}

/** Answers a page with what was read for it. */
export function showPage<M>(
  c: PageContext,
  { title, view }: Pick<PageRules<M>, "title" | "view">,
  model: M,
  status: 200 | 400 | 403 | 404 | 409 = 200,
): Response | Promise<Response> {
  const shown = shownOf(pageRequestOf(c));
  return c.html(Layout({ title: title(model), shown, children: view(model, shown) }), status);
}

/** What views may know of a request. */
export const shownOf = ({ principal, at, formToken, here, query }: PageRequest): Shown => ({
  username: principal.username,
  mayDecide: principal.scopes.includes("holds:decide"),
  scopes: principal.scopes,
  at,
  formToken,
  here,
  query,
});
