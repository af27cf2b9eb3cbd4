import type { Principal } from "../core/principal.ts";

/** What is put on record: what people and agents asked for, what they were refused, and what the system did in their place. */
export const ACTS = [
  "decision_asked",
  "decision_denied",
  "decision_taken_back",
  "hold_expired",
  "hold_snoozed",
  "hold_unsnoozed",
  "run_cancelled",
  "item_cancelled",
  "item_requeued",
  "run_rerun",
  "run_forked",
  "key_made",
  "key_revoked",
  "sign_in_link_made",
  "signed_in",
  "session_nudged",
  "verdict_agreed",
  "verdict_disagreed",
  "schedule_switched",
] as const;
export type Act = (typeof ACTS)[number];

/** Who acts, and in which session. */
export type Actor = { by: string; username: string; keyId?: string; sessionId?: string };

/** One row of the record: ids and words of ours, never a text of a person or a model. */
export type AuditEntry = Actor & {
  act: Act;
  at: number;
  holdId?: string;
  runId?: string;
  itemId?: string;
  workflowId?: string;
  verdict?: string;
  /** Of what was shown. */
  sha256?: string;
  /** Of what is to land instead. */
  lands?: string;
  decisionId?: string;
  /** Whether a reason stands with the decision. */
  hasReason?: boolean;
  /** Why it was refused. */
  code?: string;
  /** Until when a hold is hidden. */
  until?: number;
  /** The key that was made or revoked; `keyId` is the one that asked. */
  ofKeyId?: string;
  /** The session that a person spoke to, or of. */
  ofSessionId?: string;
  /** The step that a fork begins with. */
  fromStep?: string;
};

/** Who acts by a credential. */
export const actorOf = (principal: Principal, sessionId: string | null): Actor => ({
  by: principal.principalId,
  username: principal.username,
  ...(principal.keyId !== undefined && { keyId: principal.keyId }),
  ...(sessionId !== null && { sessionId }),
});

/** What the system does by itself. */
export const SYSTEM: Actor = { by: "system", username: "system" };
