import { AppError } from "../../lib/core/errors.ts";
import { inParallel } from "../../lib/core/in-parallel.ts";
import { ListPlace } from "../../lib/memos/list.ts";
import { WorkflowPage } from "../../lib/pages/workflow.tsx";
import { Workflows } from "../../lib/pages/workflows.tsx";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";
import { dryRunOf, payloadTemplate } from "./workflow-dry-run.ts";
import { laneOf, listed } from "./workflow-listed.ts";

const LANES_AT_ONCE = 16;

/** Workflows, as they compile now. */
export function workflowPages(app: PagesApp, deps: PageDeps): void {
  page(app, "/steward/workflows", {
    scope: "memos:read",
    title: () => "Workflows",
    async read({ principal: { ownerUid }, paging }) {
      const limit = paging.limit({ max: 100, standard: 50 });
      const { workflows, next } = await deps.workflows.page(ownerUid, {
        limit,
        after: paging.after(ListPlace),
      });
      const items = await inParallel(workflows, LANES_AT_ONCE, async (found) => ({
        ...listed(found),
        lane: await laneOf(deps, ownerUid, found),
      }));
      return paging.page(items, next);
    },
    view: Workflows,
  });

  page(app, "/steward/workflows/:idOrCommand", {
    scope: "memos:read",
    title: ({ command, title }) => command ?? title,
    async read({ principal: { ownerUid }, params, query }) {
      const workflow = params["idOrCommand"] ?? "";
      const found = await deps.workflows.find(ownerUid, workflow);
      if (!found) throw new AppError("workflow_not_found", `there is no workflow ${workflow}`, { workflow });
      const { memo, compiled } = found;
      const manifest = compiled.ok ? compiled.manifest : null;
      const { payload } = query;
      return {
        ...listed(found),
        lane: await laneOf(deps, ownerUid, found),
        text: memo.body,
        contentVersion: memo.contentVersion,
        contentHash: memo.contentHash,
        updatedAt: memo.updatedAt,
        diagnostics: compiled.diagnostics,
        manifest,
        payload: payload ?? (manifest ? payloadTemplate(manifest.trigger.inputs) : "{}"),
        dryRun:
          payload !== undefined && manifest
            ? await dryRunOf(deps.preview, ownerUid, manifest, payload)
            : null,
      };
    },
    view: WorkflowPage,
  });
}
