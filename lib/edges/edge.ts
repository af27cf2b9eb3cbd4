import * as z from "zod";
import { digestOf } from "../core/ids.ts";

/** What a loop can run into that it does not know, has not, or may not do. */
export const EDGE_KINDS = [
  "missing_tool",
  "missing_data",
  "ambiguous_instruction",
  "contradiction",
  "low_confidence",
  "refused_by_policy",
  "dispatch_conflict",
  "budget_exhausted",
  "recovery_exhausted",
  "judge_unsure",
  "incomplete_report",
] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

export const EDGE_STATES = ["open", "acknowledged", "answered", "resolved", "wont_fix", "stale"] as const;
export type EdgeState = (typeof EDGE_STATES)[number];

/** Which state may follow which; a new report alone opens again what was resolved or stale. */
export const NEXT = {
  open: ["acknowledged", "answered", "resolved", "wont_fix", "stale"],
  acknowledged: ["answered", "resolved", "wont_fix", "stale"],
  answered: ["answered", "resolved", "wont_fix", "stale"],
  resolved: ["open"],
  wont_fix: ["open"],
  stale: ["open"],
} as const satisfies Record<EdgeState, readonly EdgeState[]>;

export const mayFollow = (from: EdgeState, to: EdgeState): boolean =>
  (NEXT[from] as readonly EdgeState[]).includes(to);

const Answer = z.object({
  text: z.string().nullable(),
  memoId: z.string().nullable(),
  by: z.string(),
  at: z.int(),
});

const Resolution = z.object({
  /** The check that found it so, or the run that went by without meeting it again; null where a person said so. */
  check: z.string().nullable(),
  runId: z.string().nullable(),
  by: z.string().nullable(),
  at: z.int(),
});

/** One thing that loops of an owner run into, however often and in whatever words. */
export const Edge = z.object({
  edgeId: z.string(),
  ownerUid: z.string(),
  kind: z.enum(EDGE_KINDS),
  /** Canonical: `tool:calendar`. */
  subject: z.string(),
  /** The newest wording. */
  question: z.string(),
  state: z.enum(EDGE_STATES),
  /** Times that it was reported. */
  count: z.int(),
  /** Runs that reported it. */
  runsAffected: z.int(),
  /** Tokens of the steps that met it. */
  tokensSpent: z.int(),
  /** The workflow whose run met it last; null where no run did. */
  workflowId: z.string().nullable(),
  firstSeenAt: z.int(),
  lastSeenAt: z.int(),
  reopenCount: z.int(),
  answer: Answer.nullable(),
  resolution: Resolution.nullable(),
});
export type Edge = z.infer<typeof Edge>;

/** What one report said, kept beside the edge. */
export const EdgeEvidence = z.object({
  runId: z.string().nullable(),
  stepId: z.string().nullable(),
  sessionId: z.string().nullable(),
  workflowId: z.string().nullable(),
  memoId: z.string().nullable(),
  question: z.string(),
  quote: z.string(),
  at: z.int(),
});
export type EdgeEvidence = z.infer<typeof EdgeEvidence>;

/** How many reports are shown with an edge. */
export const EVIDENCE_SHOWN = 5;

/** Code points of a quote. */
export const QUOTE_MAX = 300;

/** The same owner, kind and subject are one edge. */
export const edgeIdOf = (ownerUid: string, kind: EdgeKind, subject: string): string =>
  `edge_${digestOf([ownerUid, kind, subject])}`;

/** What a person is not done with. */
export const isOpen = ({ state }: Pick<Edge, "state">): boolean =>
  state === "open" || state === "acknowledged" || state === "answered";
