import * as z from "zod";
import { namedWorkflowId } from "../lib/intake/named-workflow.ts";
import type { WorkflowLibrary } from "../lib/intake/workflow-library.ts";
import type { Catalog } from "../lib/memos/catalog.ts";
import { PassPlace, type PassStore } from "../lib/passes/store.ts";
import { ITEM_STATUSES, ItemPlace, listItems } from "../lib/queue/list-items.ts";
import type { QueueStore } from "../lib/queue/store.ts";
import { checked } from "./middleware/parse-body.ts";
import { route } from "./middleware/route.ts";

export type QueueListsDeps = {
  workflows: WorkflowLibrary;
  catalog: Catalog;
  queue: QueueStore;
  passes: Pick<PassStore, "list">;
};

const ItemsQuery = z.object({
  workflow: z.string().max(200).optional(),
  status: z.enum(ITEM_STATUSES).optional(),
});

/** Items by state, and what the rounds did that served them. */
export function queueListRoutes(deps: QueueListsDeps) {
  return {
    "GET /api/items": route({
      scope: "runs:read",
      query: ItemsQuery,
      async run({ principal: { ownerUid }, query, paging }) {
        const { workflow, status } = checked(ItemsQuery, query, "query");
        const workflowIds = await lanesOf(deps, ownerUid, workflow);
        const limit = paging.limit({ max: 100, standard: 25 });
        const after = paging.after(ItemPlace);
        const { items, next } = await listItems(deps, ownerUid, { workflowIds, status, limit, after });
        return { status: 200, body: paging.page(items, next) };
      },
    }),
    "GET /api/passes": route({
      scope: "runs:read",
      async run({ paging }) {
        const limit = paging.limit({ max: 100, standard: 25 });
        const { items, next } = await deps.passes.list(limit, paging.after(PassPlace));
        return { status: 200, body: paging.page(items, next) };
      },
    }),
  };
}

async function lanesOf(
  { workflows, catalog }: QueueListsDeps,
  ownerUid: string,
  workflow: string | undefined,
) {
  if (workflow !== undefined) return [await namedWorkflowId({ workflows }, ownerUid, workflow)];
  return (await catalog.workflows(ownerUid)).map(({ memoId }) => memoId);
}
