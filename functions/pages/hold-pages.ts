import * as z from "zod";
import { namedWorkflowId } from "../../lib/intake/named-workflow.ts";
import { Inbox } from "../../lib/pages/inbox.tsx";
import { AgePlace, HOLD_STATES, listHolds } from "../../lib/runs/list-holds.ts";
import { checked } from "../middleware/parse-body.ts";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";
import { workflowNames } from "./workflow-names.ts";

const HoldsQuery = z.object({
  state: z.enum(HOLD_STATES).default("open"),
  workflow: z.string().min(1).max(200).optional(),
});

/** What waits for a person, and what may be said of it. */
export function holdPages(app: PagesApp, deps: PageDeps): void {
  page(app, "/steward/holds", {
    scope: "holds:read",
    title: () => "Holds",
    async read({ principal: { ownerUid, principalId }, query, paging, at }) {
      const { state, workflow } = checked(HoldsQuery, query, "query");
      const hidden = await deps.snoozes.hidden(ownerUid, principalId, at);
      const workflowId = workflow === undefined ? undefined : await namedWorkflowId(deps, ownerUid, workflow);
      const limit = paging.limit({ max: 100, standard: 50 });
      const wanted = { state, hidden, workflowId, limit, after: paging.after(AgePlace) };
      const { items, next } = await listHolds(deps, ownerUid, wanted);
      const nameOf = await workflowNames(deps, ownerUid);
      const named = items.map((hold) => ({ ...hold, workflow: nameOf(hold.workflowId) }));
      return { state, ...paging.page(named, next) };
    },
    view: Inbox,
  });
}
