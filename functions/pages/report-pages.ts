import { inParallel } from "../../lib/core/in-parallel.ts";
import { laneKey } from "../../lib/core/keys.ts";
import { scheduleState } from "../../lib/loops/switch.ts";
import { SessionReportPage } from "../../lib/pages/session-report.tsx";
import { SessionReports } from "../../lib/pages/session-reports.tsx";
import { runPlace } from "../../lib/queue/item.ts";
import { laneView } from "../../lib/queue/lane-view.ts";
import { RunPlace } from "../../lib/runs/list-runs.ts";
import { NAMES } from "../../lib/steward/names.ts";
import { listReports } from "../session-reports.ts";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";
import { reportForms } from "./report-forms.ts";
import { readReportPage } from "./report-model.ts";
import { appliesBy } from "./report-waiting.ts";
import { memoTitles } from "./run-memo-titles.ts";

const ITEMS_AT_ONCE = 8;

/** The session steward: whether it comes by itself, what its passes found, and what a person says to that. */
export function reportPages(app: PagesApp, deps: PageDeps): void {
  page(app, "/steward/session-reports", {
    scope: "runs:read",
    title: () => "Session steward",
    async read({ principal: { ownerUid }, paging }) {
      const wanted = { limit: paging.limit({ max: 100, standard: 25 }), after: paging.after(RunPlace) };
      const { items, next } = await listReports(deps, ownerUid, wanted);
      const lane = laneKey(ownerUid, NAMES.workflowId);
      const titleOf = await memoTitles(deps, ownerUid);
      const listed = await inParallel(items, ITEMS_AT_ONCE, async (report) => ({
        ...report,
        memoTitle: report.memoId === null ? null : titleOf(report.memoId),
        apply: await appliesOf(deps, lane, report.runId),
      }));
      return {
        // On the first page alone: what comes after it is a list.
        steward: wanted.after === null ? await stewardOf(deps, ownerUid, lane) : null,
        ...paging.page(listed, next),
      };
    },
    view: SessionReports,
  });

  page(app, "/steward/session-reports/:runId", {
    scope: "runs:read",
    title: ({ apply }) => (apply ? "Session report" : "Session report, dry run"),
    read: ({ principal, params }) => readReportPage(deps, principal.ownerUid, params["runId"] ?? ""),
    view: SessionReportPage,
  });

  reportForms(app, deps);
}

type Lane = ReturnType<typeof laneKey>;

async function stewardOf(deps: PageDeps, ownerUid: string, lane: Lane) {
  const [schedules, waits] = await Promise.all([
    scheduleState(deps, ownerUid, NAMES.workflowId),
    deps.queue.readLane(lane, { asHint: true }),
  ]);
  return { schedules, lane: laneView(waits), press: deps.ids("req") };
}

/** Whether a pass was asked to act; null where its item has gone on to a later one. */
async function appliesOf({ queue }: Pick<PageDeps, "queue">, lane: Lane, runId: string) {
  const place = runPlace(runId);
  const item = place && (await queue.readItem(lane, place.itemKey));
  return item?.generation === place?.generation && item ? appliesBy(item.payload) : null;
}
