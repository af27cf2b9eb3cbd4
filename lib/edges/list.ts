import * as z from "zod";
import { EDGE_KINDS, EDGE_STATES, isOpen, type Edge } from "./edge.ts";

/** Which edges are wanted, and in which order. */
export const EdgeFilter = z.object({
  state: z.enum([...EDGE_STATES, "unsettled", "all"]).default("unsettled"),
  kind: z.enum(EDGE_KINDS).optional(),
  workflowId: z.string().optional(),
  sort: z.enum(["count", "cost", "seen"]).default("count"),
});
export type EdgeFilter = z.infer<typeof EdgeFilter>;

/** Where a list goes on: behind this edge, in the same order. */
export const EdgePlace = z.strictObject({ edgeId: z.string().max(100), by: z.number() });
export type EdgePlace = z.infer<typeof EdgePlace>;

const valueOf = { count: "count", cost: "tokensSpent", seen: "lastSeenAt" } as const satisfies Record<
  EdgeFilter["sort"],
  keyof Edge
>;

/** One page of an owner's edges, the most pressing first; those of one value by id. */
export function pageOfEdges(
  edges: readonly Edge[],
  { state, kind, workflowId, sort }: EdgeFilter,
  { limit, after }: { limit: number; after: EdgePlace | null },
): { items: Edge[]; next: EdgePlace | null } {
  const place = (edge: Edge): EdgePlace => ({ edgeId: edge.edgeId, by: edge[valueOf[sort]] });
  const compare = (a: EdgePlace, b: EdgePlace): number => b.by - a.by || (a.edgeId < b.edgeId ? -1 : 1);
  const wanted = edges
    .filter((edge) => state === "all" || (state === "unsettled" ? isOpen(edge) : edge.state === state))
    .filter((edge) => kind === undefined || edge.kind === kind)
    .filter((edge) => workflowId === undefined || edge.workflowId === workflowId)
    .map((edge) => ({ edge, at: place(edge) }))
    .filter(({ at }) => after === null || (at.edgeId !== after.edgeId && compare(after, at) < 0))
    .toSorted((a, b) => compare(a.at, b.at));
  const items = wanted.slice(0, limit);
  const last = wanted.length > limit ? items.at(-1) : undefined;
  return { items: items.map(({ edge }) => edge), next: last?.at ?? null };
}
