import * as z from "zod";
import { AuditPlace } from "../../lib/audit/store.ts";
import { AppError } from "../../lib/core/errors.ts";
import { momentOf } from "../../lib/core/moment.ts";
import { AuditPage } from "../../lib/pages/audit.tsx";
import { readAudit } from "../../lib/runs/audit-view.ts";
import { checked } from "../middleware/parse-body.ts";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";

const AuditQuery = z.object({ since: z.string().max(40).optional() });

/** The record of what was asked for, by whom, and what was refused. */
export function auditPage(app: PagesApp, deps: PageDeps): void {
  page(app, "/steward/audit", {
    // A scope of people, as for the same record under /api.
    scope: "holds:decide",
    title: () => "Audit",
    async read({ principal: { ownerUid }, query, paging, at }) {
      const { since: said = "" } = checked(AuditQuery, query, "query");
      const since = sinceOf(said.trim(), at);
      const wanted = {
        since,
        limit: paging.limit({ max: 100, standard: 50 }),
        after: paging.after(AuditPlace),
      };
      const { items, next } = await readAudit(deps, ownerUid, wanted);
      return { since: said.trim(), ...paging.page(items, next) };
    },
    view: AuditPage,
  });
}

/** When the record is to begin; an empty field asks for all of it. @throws {AppError} invalid_request */
function sinceOf(said: string, at: number): number {
  const moment = said === "" ? 0 : momentOf(said, at, "back");
  if (moment !== undefined) return Math.max(0, moment);
  const message = 'is neither a day or time such as "2027-01-31" nor a duration such as "7d"';
  throw new AppError("invalid_request", `query since ${message}`, {
    failing: [{ pointer: "/query/since", message }],
  });
}
