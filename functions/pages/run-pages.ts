import * as z from "zod";
import { AppError } from "../../lib/core/errors.ts";
import { namedWorkflowId } from "../../lib/intake/named-workflow.ts";
import { Runs } from "../../lib/pages/runs.tsx";
import { RunPage } from "../../lib/pages/run.tsx";
import { listRuns, RunFilter, RunPlace } from "../../lib/runs/list-runs.ts";
import { laneOf } from "../../lib/runs/run.ts";
import { runRecord, runSummary } from "../../lib/runs/run-view.ts";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";
import { shownItem, shownRecord } from "./run-record.ts";
import { memoTitles } from "./run-memo-titles.ts";
import { workflowNames } from "./workflow-names.ts";
import { checked } from "../middleware/parse-body.ts";

const RunsQuery = z.object({
  status: RunFilter.shape.status,
  workflow: z.string().min(1).max(200).optional(),
  session: z.string().min(1).max(200).optional(),
});

/** Runs and what each of them did. */
export function runPages(app: PagesApp, deps: PageDeps): void {
  page(app, "/steward/runs", {
    scope: "runs:read",
    title: () => "Runs",
    async read({ principal: { ownerUid }, query, paging }) {
      const { status, workflow, session: sessionId } = checked(RunsQuery, query, "query");
      const workflowId = workflow === undefined ? undefined : await namedWorkflowId(deps, ownerUid, workflow);
      const limit = paging.limit({ max: 100, standard: 50 });
      const wanted = { filter: { status, workflowId, sessionId }, limit, after: paging.after(RunPlace) };
      const { runs, next } = await listRuns(deps, ownerUid, wanted);
      const [nameOf, titleOf] = await Promise.all([
        workflowNames(deps, ownerUid),
        memoTitles(deps, ownerUid),
      ]);
      const items = runs.map((run) => {
        const summary = runSummary(run);
        const landed = summary.landing ? titleOf(summary.landing.memoId) : null;
        return { ...summary, workflow: nameOf(run.workflowId), landedTitle: landed };
      });
      const filtered = workflowId === undefined ? null : { workflowId, name: nameOf(workflowId) };
      return {
        status: status ?? "all",
        workflow: filtered,
        session: sessionId ?? null,
        ...paging.page(items, next),
      };
    },
    view: Runs,
  });

  page(app, "/steward/runs/:id", {
    scope: "runs:read",
    title: ({ workflow }) => `Run of ${workflow}`,
    async read({ principal: { ownerUid }, params }) {
      const runId = params["id"] ?? "";
      const run = await deps.runs.readHead(runId);
      if (!run || run.ownerUid !== ownerUid) {
        throw new AppError("run_not_found", `there is no run ${runId}`, { runId });
      }
      const [record, item, nameOf, titleOf] = await Promise.all([
        runRecord(deps, run),
        deps.queue.readItem(laneOf(run), run.itemKey),
        workflowNames(deps, ownerUid),
        memoTitles(deps, ownerUid),
      ]);
      const landed = record.landing ? titleOf(record.landing.memoId) : null;
      return {
        workflow: nameOf(run.workflowId),
        landedTitle: landed,
        item: item?.generation === run.generation ? shownItem(item) : null,
        run: shownRecord(record),
      };
    },
    view: RunPage,
  });
}
