import { HoldPage, holdTitle } from "../../lib/pages/hold.tsx";
import { HOLD_VIEWS } from "../../lib/pages/hold-tabs.tsx";
import { Inbox } from "../../lib/pages/inbox.tsx";
import { editPage, holdDecisions } from "./hold-decisions.ts";
import { readInbox } from "./hold-list.ts";
import { holdsAtOnce } from "./hold-many.ts";
import { readHoldPage } from "./hold-model.ts";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";

/** What waits for a person, and what may be said of it. */
export function holdPages(app: PagesApp, deps: PageDeps): void {
  page(app, "/steward/holds", {
    scope: "holds:read",
    title: () => "Holds",
    read: (request) => readInbox(deps, request),
    view: Inbox,
  });
  holdsAtOnce(app, deps);
  holdDecisions(app, deps);
  app.get("/steward/holds/:id", (c, next) => {
    const { principal } = c.get("session");
    if (c.req.query("view") !== "edit" || !principal.scopes.includes("holds:decide")) return next();
    return editPage(deps, c, c.req.param("id"));
  });
  page(app, "/steward/holds/:id", {
    scope: "holds:read",
    title: holdTitle,
    read: ({ principal, params, query, at }) => {
      const asked = HOLD_VIEWS.find((view) => view === query["view"] && view !== "edit");
      return readHoldPage(deps, { principal, holdId: params["id"] ?? "", view: asked, at });
    },
    view: HoldPage,
  });
}
