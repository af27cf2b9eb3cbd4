import { Passes } from "../../lib/pages/passes.tsx";
import { chartsOf } from "../../lib/pages/passes-day.ts";
import { PassPlace } from "../../lib/passes/store.ts";
import { costView, spendReport } from "../../lib/spend/cost-report.ts";
import { costPage } from "./pass-cost.ts";
import { passesOfDay } from "./pass-day.ts";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";

/** Rounds, what they did, and what was spent. */
export function passPages(app: PagesApp, deps: PageDeps): void {
  page(app, "/steward/passes", {
    scope: "runs:read",
    title: () => "Passes",
    async read({ principal: { ownerUid }, paging, at }) {
      const limit = paging.limit({ max: 100, standard: 50 });
      const after = paging.after(PassPlace);
      const { items, next } = await deps.passes.list(limit, after);
      const listed = paging.page(items, next);
      // The day stands on the first page alone: what comes after it is a list.
      if (after !== null) return { day: null, spentToday: null, ...listed };
      const [{ day, complete }, { total }] = await Promise.all([
        passesOfDay(deps.passes, at),
        spendReport(deps, ownerUid, { by: "day", days: 1, at }),
      ]);
      return { day: chartsOf(day, complete, at), spentToday: costView(total), ...listed };
    },
    view: Passes,
  });
  costPage(app, deps);
}
