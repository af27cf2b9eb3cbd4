import * as z from "zod";

/** Whose entries these are among all that a ledger may hold. */
export const STAGE = "session-steward";

/** Whose memory it is where a run names none. */
export const DEFAULT_APP = "session-steward";

/** Of a judge; `partial` and `failed` are said by tools that know more. */
const Verdict = z.string().min(1).max(40);
const SessionId = z.templateLiteral(["ses_", z.string().max(200)]);
const Fingerprint = z.string().max(8000).nullable();

/** What a pass came to think of a session. */
export const VerdictPayload = z.object({
  kind: z.literal("steward-verdict"),
  sessionId: SessionId,
  verdict: Verdict,
  confidence: z.number().min(0).max(1).nullable(),
  /** Of the evidence; null when there was none. */
  fingerprint: Fingerprint,
  judgedBy: z.string().max(200).optional(),
  note: z.string().max(1000).optional(),
});
export type VerdictPayload = z.infer<typeof VerdictPayload>;

/** That a person saw a session otherwise than the judge did. */
export const Disagreement = z.object({
  kind: z.literal("operator-disagreement"),
  sessionId: SessionId,
  judgeVerdict: Verdict,
  judgeConfidence: z.number().min(0).max(1).nullable(),
  operatorVerdict: Verdict,
  fingerprint: Fingerprint,
  note: z.string().max(1000).optional(),
});
export type Disagreement = z.infer<typeof Disagreement>;

/** One entry of the ledger. */
export const LedgerEntry = z.object({
  /** Sorts by time. */
  id: z.string(),
  ts: z.string(),
  stage: z.literal(STAGE),
  /** The session. */
  item: z.string(),
  kind: z.enum(["note", "disagreement"]),
  /** `policy`, or the principal of the person. */
  by: z.string(),
  payload: z.union([VerdictPayload, Disagreement]),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;
