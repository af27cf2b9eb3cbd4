import { CostPage } from "../../lib/pages/passes-cost.tsx";
import { costOfSessions } from "../../lib/runs/session-cost.ts";
import { CostQuery, costView, dearestFirst, spendReport } from "../../lib/spend/cost-report.ts";
import { checked } from "../middleware/parse-body.ts";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";
import { workflowNames } from "./workflow-names.ts";

/** Lines that a page has; what is not among them is added up in its sum all the same. */
const LINES_SHOWN = 200;

/** What calls of models cost. */
export function costPage(app: PagesApp, deps: PageDeps): void {
  page(app, "/steward/cost", {
    scope: "runs:read",
    title: () => "Cost",
    async read({ principal: { ownerUid }, query, at }) {
      const { by, since: days } = checked(CostQuery.pick({ by: true, since: true }).strip(), query, "query");
      const spent = await spendReport(deps, ownerUid, { by: by === "session" ? "day" : by, days, at });
      const { from, to, pricesAsOf, total } = spent;
      const sessions = by === "session" ? await costOfSessions(deps, ownerUid, Date.parse(from)) : undefined;
      const nameOf = by === "workflow" ? await workflowNames(deps, ownerUid) : undefined;
      const lines = [...(sessions?.lines ?? spent.lines)];
      if (by === "day") lines.sort(([a], [b]) => String(b).localeCompare(String(a)));
      else lines.sort(dearestFirst);
      const items = lines.slice(0, LINES_SHOWN).map(([key, sum]) => ({
        key,
        name: key === null ? null : (nameOf?.(key) ?? key),
        ...costView(sum),
      }));
      return {
        by,
        days,
        from,
        to,
        pricesAsOf,
        complete: spent.complete && (sessions?.complete ?? true),
        leftOut: Math.max(0, lines.length - LINES_SHOWN),
        total: costView(total),
        items,
      };
    },
    view: CostPage,
  });
}
