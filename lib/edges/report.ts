import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { truncate } from "../core/text.ts";
import { EDGE_KINDS, edgeIdOf, QUOTE_MAX, type Edge, type EdgeEvidence } from "./edge.ts";
import type { EdgeStore } from "./store.ts";
import { canonicalSubject } from "./subject.ts";

/** What an agent, a step or a turn says of an edge; where and by whom it was met comes from the credential and the run. */
export const EdgeReport = z.strictObject({
  kind: z.enum(EDGE_KINDS),
  subject: z.string().trim().min(1).max(300),
  question: z.string().trim().min(1).max(1000),
  /** Words that show it; the first 300 code points are kept. */
  quote: z.string().max(5000).optional(),
  memoId: z.string().max(200).optional(),
});
export type EdgeReport = z.infer<typeof EdgeReport>;

/** Where an edge was met. */
export type EdgePlace = {
  ownerUid: string;
  /** Tells this report from others, also when it is made again: a run's step, or a request. */
  token: string;
  runId: string | null;
  stepId: string | null;
  workflowId: string | null;
  sessionId: string | null;
  tokens?: number;
};

export type Reported = { edgeId: string; new: boolean; count: number; state: Edge["state"] };

/**
 * Notes that a loop ran into something. However many say it and in whatever words, one subject is one edge; the
 * same report made again counts once. What was resolved or stale opens again; what a person does not want to fix
 * stays so.
 */
export async function reportEdge(
  deps: { edges: Pick<EdgeStore, "addEvidence" | "count" | "read">; clock: Clock },
  place: EdgePlace,
  report: EdgeReport,
): Promise<Reported> {
  const { ownerUid } = place;
  const subject = canonicalSubject(report.kind, report.subject);
  const edgeId = edgeIdOf(ownerUid, report.kind, subject);
  const at = deps.clock.now();
  const evidence: EdgeEvidence = {
    runId: place.runId,
    stepId: place.stepId,
    sessionId: place.sessionId,
    workflowId: place.workflowId,
    memoId: report.memoId ?? null,
    question: report.question,
    quote: truncate(report.quote ?? "", QUOTE_MAX),
    at,
  };
  // The evidence first: a report that died between the two counts one too few, never one twice.
  const added = await deps.edges.addEvidence(ownerUid, edgeId, place.token, evidence);
  if (!added.isNew) {
    const edge = await deps.edges.read(ownerUid, edgeId);
    if (edge) return { edgeId, new: false, count: edge.count, state: edge.state };
  }
  const { kind, question } = report;
  const counted = await deps.edges.count(
    { ownerUid, edgeId, kind, subject, question, workflowId: place.workflowId },
    { isNewRun: added.isNewRun, tokens: place.tokens ?? 0, at },
  );
  return { edgeId, new: counted.count === 1, count: counted.count, state: counted.state };
}
