import * as z from "zod";
import { inParallel } from "../../lib/core/in-parallel.ts";
import { laneKey } from "../../lib/core/keys.ts";
import { truncate } from "../../lib/core/text.ts";
import { namedWorkflowId } from "../../lib/intake/named-workflow.ts";
import { Queue } from "../../lib/pages/queue.tsx";
import { laneView } from "../../lib/queue/lane-view.ts";
import { ITEM_STATUSES, ItemPlace, listItems } from "../../lib/queue/list-items.ts";
import { checked } from "../middleware/parse-body.ts";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";
import { workflowNames } from "./workflow-names.ts";

const ItemsQuery = z.object({
  status: z.enum(ITEM_STATUSES).default("pending"),
  workflow: z.string().min(1).max(200).optional(),
});

/** Of a payload as much is shown as says what it is about. */
const PAYLOAD_SHOWN = 160;
const LANES_AT_ONCE = 8;

/** Items by state. */
export function queuePages(app: PagesApp, deps: PageDeps): void {
  page(app, "/steward/queue", {
    scope: "runs:read",
    title: () => "Queue",
    async read({ principal: { ownerUid }, query, paging }) {
      const { status, workflow } = checked(ItemsQuery, query, "query");
      const workflowIds =
        workflow === undefined
          ? (await deps.catalog.workflows(ownerUid)).map(({ memoId }) => memoId)
          : [await namedWorkflowId(deps, ownerUid, workflow)];
      const limit = paging.limit({ max: 100, standard: 50 });
      const wanted = { workflowIds, status, limit, after: paging.after(ItemPlace) };
      const { items, next } = await listItems(deps, ownerUid, wanted);
      const nameOf = await workflowNames(deps, ownerUid);
      const shown = items.map((item) => ({
        ...item,
        payload: item.payload === null ? null : truncate(item.payload, PAYLOAD_SHOWN),
      }));
      // A lane is read once, and only of what this page shows.
      const laneIds = [...new Set(items.map(({ workflowId }) => workflowId))];
      const lanes = await inParallel(laneIds, LANES_AT_ONCE, async (workflowId) => ({
        workflowId,
        workflow: nameOf(workflowId),
        ...laneView(await deps.queue.readLane(laneKey(ownerUid, workflowId), { asHint: true })),
      }));
      return { status, workflow: workflow ?? null, lanes, ...paging.page(shown, next) };
    },
    view: Queue,
  });
}
