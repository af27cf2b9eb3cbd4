import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { DAY_MS } from "../core/duration.ts";
import { AppError } from "../core/errors.ts";
import { EDGE_STATES, mayFollow, type Edge } from "./edge.ts";
import type { EdgeStore } from "./store.ts";

/** Not met for so long, an edge is stale. */
export const STALE_AFTER_MS = 60 * DAY_MS;

/** A person's answer: words, or the memo that has them. */
export const EdgeAnswer = z
  .strictObject({
    text: z.string().trim().min(1).max(4000).optional(),
    memoId: z.string().max(200).optional(),
  })
  .refine(
    ({ text, memoId }) => (text === undefined) !== (memoId === undefined),
    "give text or memoId, one of the two",
  );
export type EdgeAnswer = z.infer<typeof EdgeAnswer>;

type Deps = { edges: Pick<EdgeStore, "read" | "move">; clock: Clock };
type Whose = { ownerUid: string; edgeId: string; by: string };

/** Answers an edge: later runs of its workflow are given the answer. @throws {AppError} edge_not_found, edge_settled */
export const answerEdge = (deps: Deps, whose: Whose, { text, memoId }: EdgeAnswer): Promise<Edge> =>
  move(deps, whose, "answered", (at) => ({
    answer: { text: text ?? null, memoId: memoId ?? null, by: whose.by, at },
  }));

/** A person has seen it. @throws {AppError} edge_not_found, edge_settled */
export const acknowledgeEdge = (deps: Deps, whose: Whose): Promise<Edge> =>
  move(deps, whose, "acknowledged", () => ({}));

/** A person says that it is no more. @throws {AppError} edge_not_found, edge_settled */
export const resolveEdge = (deps: Deps, whose: Whose): Promise<Edge> =>
  move(deps, whose, "resolved", (at) => ({ resolution: { check: null, runId: null, by: whose.by, at } }));

/** A person leaves it as it is: reports of it are counted and open nothing. @throws {AppError} edge_not_found, edge_settled */
export const leaveEdge = (deps: Deps, whose: Whose): Promise<Edge> =>
  move(deps, whose, "wont_fix", () => ({}));

async function move(
  deps: Deps,
  { ownerUid, edgeId }: Whose,
  to: Edge["state"],
  change: (at: number) => Partial<Pick<Edge, "answer" | "resolution">>,
): Promise<Edge> {
  const at = deps.clock.now();
  const edge = await deps.edges.read(ownerUid, edgeId);
  if (!edge) throw new AppError("edge_not_found", `there is no edge ${edgeId.slice(0, 100)}`, { edgeId });
  // Said twice is said once.
  if (edge.state === to && to !== "answered") return edge;
  if (mayFollow(edge.state, to)) {
    const moved = await deps.edges.move(edge, { state: to, ...change(at) });
    if (moved) return moved;
  }
  const current = (await deps.edges.read(ownerUid, edgeId)) ?? edge;
  const from = EDGE_STATES.filter((state) => mayFollow(state, to)).join(", ");
  throw new AppError("edge_settled", `edge ${edgeId} is ${current.state}; ${to} follows ${from}`, {
    edgeId,
    state: current.state,
  });
}

/** What a check of the world found: the name of the check that no longer meets the edge, or null where it still does. */
export type EdgeCheck = (edge: Edge) => Promise<string | null>;

/**
 * Looks at an edge again by itself: what is there by now is resolved, with the check named; what nobody met for
 * sixty days is stale. False when nothing changed.
 */
export async function recheckEdge(deps: Deps, edge: Edge, check: EdgeCheck): Promise<boolean> {
  const at = deps.clock.now();
  const found = mayFollow(edge.state, "resolved") ? await check(edge) : null;
  if (found !== null) {
    const resolution = { check: found, runId: null, by: null, at };
    return (await deps.edges.move(edge, { state: "resolved", resolution })) !== undefined;
  }
  if (at - edge.lastSeenAt < STALE_AFTER_MS || !mayFollow(edge.state, "stale")) return false;
  return (await deps.edges.move(edge, { state: "stale" })) !== undefined;
}

/** A run that was given the answer ended without meeting the edge again: the answer helped. */
export async function settleAnswered(
  deps: Deps,
  edge: Edge,
  run: { runId: string; startedAt: number },
): Promise<boolean> {
  const { answer } = edge;
  if (edge.state !== "answered" || !answer || run.startedAt < answer.at || edge.lastSeenAt >= run.startedAt) {
    return false;
  }
  const resolution = { check: null, runId: run.runId, by: null, at: deps.clock.now() };
  return (await deps.edges.move(edge, { state: "resolved", resolution })) !== undefined;
}
