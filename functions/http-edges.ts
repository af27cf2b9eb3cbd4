import * as z from "zod";
import { AppError } from "../lib/core/errors.ts";
import { EdgeFilter, EdgePlace, pageOfEdges } from "../lib/edges/list.ts";
import { EdgeReport, reportEdge } from "../lib/edges/report.ts";
import { namedWorkflowId } from "../lib/intake/named-workflow.ts";
import { edgeActs } from "./edge-acts.ts";
import { edgeDepsOf, type EdgeDeps } from "./edge-wiring.ts";
import { httpHandler } from "./middleware/http-handler.ts";
import { checked } from "./middleware/parse-body.ts";
import { route } from "./middleware/route.ts";
import { wired } from "./wiring.ts";

const Query = z.object({
  query: EdgeFilter.omit({ workflowId: true }).extend({ workflow: z.string().max(200).optional() }),
});

/** What loops do not know, have not or may not do: agents report it, people answer. */
export function createHandler(deps: EdgeDeps) {
  return httpHandler(deps, {
    ...edgeActs(deps),
    "GET /api/edges": route({
      scope: "runs:read",
      query: Query.shape.query,
      async run({ principal, query, paging }) {
        const { workflow, ...filter } = checked(Query, { query }, "query").query;
        const { ownerUid } = principal;
        const workflowId =
          workflow === undefined ? undefined : await namedWorkflowId(deps, ownerUid, workflow);
        const wanted = { ...filter, ...(workflowId !== undefined && { workflowId }) };
        const page = { limit: paging.limit({ max: 100, standard: 25 }), after: paging.after(EdgePlace) };
        const { items, next } = pageOfEdges(await deps.edges.list(ownerUid), wanted, page);
        return { status: 200, body: paging.page(items, next) };
      },
    }),
    "GET /api/edges/{id}": route({
      scope: "runs:read",
      async run({ principal: { ownerUid }, params }) {
        const edgeId = params["id"] ?? "";
        const edge = await deps.edges.read(ownerUid, edgeId);
        if (!edge)
          throw new AppError("edge_not_found", `there is no edge ${edgeId.slice(0, 100)}`, { edgeId });
        return { status: 200, body: { ...edge, evidence: await deps.edges.evidence(ownerUid, edgeId) } };
      },
    }),
    "POST /api/edges": route({
      scope: "edges:report",
      body: EdgeReport,
      async run({ principal: { ownerUid }, body, requestId, session: sessionId }) {
        const met = { runId: null, stepId: null, workflowId: null, sessionId };
        return { status: 200, body: await reportEdge(deps, { ownerUid, token: requestId, ...met }, body) };
      },
    }),
  });
}

export const handler = wired(createHandler, edgeDepsOf);
