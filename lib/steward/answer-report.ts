import * as z from "zod";
import { digestOf, isId } from "../core/ids.ts";
import { AppError } from "../core/errors.ts";
import type { Principal } from "../core/principal.ts";
import { ownSession } from "../sessions/create.ts";
import { sendMessage, type Message } from "../sessions/mailbox.ts";
import { liveOrThrow } from "../sessions/report-heartbeat.ts";
import type { SessionStore } from "../sessions/store.ts";
import { DEFAULT_APP, type Disagreement } from "./ledger-entry.ts";
import type { Proposal } from "./rules/proposals.ts";
import { filled, list, record } from "./rules/reading.ts";
import type { VerdictLedger } from "./store.ts";

/** A session that a report speaks of. */
export const NudgeRequest = z.strictObject({ sessionId: z.string().min(1).max(200) });

/** What a person thinks of a session that a pass judged. */
export const DisagreementRequest = z.strictObject({
  sessionId: z.string().min(1).max(200),
  verdict: z.enum(["done", "abandoned", "blocked", "needs-input", "active"]),
  note: z.string().trim().max(500).optional(),
});

/** What a person says to a report, of one of its sessions. */
type Answering = {
  principal: Principal;
  runId: string;
  startedAt: number;
  result: unknown;
  /** Puts the act on record, before anything of it is written. */
  noted(act: "session_nudged" | "verdict_disagreed" | "verdict_agreed"): Promise<void>;
};

const WORDS = {
  interrupt: (reason: string) =>
    `You seem to repeat yourself (${reason}). Stop what you are doing, say in one line what you are trying to reach, and try another way.`,
  continue: (reason: string) =>
    `You seem to stand still (${reason}). Go on with what you were doing, or say what you wait for.`,
} as const satisfies Record<Proposal["kind"], (reason: string) => string>;

const REASON_MAX = 300;

/** What a session is told, word for word, when a person sends what a report proposes. */
export const nudgeText = ({ kind, reason }: Pick<Proposal, "kind" | "reason">): string =>
  WORDS[kind](reason.slice(0, REASON_MAX).toWellFormed());

/**
 * Sends a session the word that a report proposes, once for each report, in the steward's words and never in the
 * session's own. Only what was proposed can be sent.
 * @throws {AppError} nothing_proposed, session_not_found, session_ended
 */
export async function sendNudge(
  deps: { sessions: SessionStore },
  { principal, runId, startedAt, result, noted }: Answering,
  sessionId: string,
): Promise<Message> {
  const proposed = proposalsOf(result).find((proposal) => proposal.sessionId === sessionId);
  if (!proposed || !isId("ses", sessionId)) {
    throw new AppError("nothing_proposed", `report ${runId} proposes no word to ${sessionId.slice(0, 100)}`, {
      runId,
      sessionId,
    });
  }
  liveOrThrow(await ownSession(deps, principal.ownerUid, sessionId));
  await noted("session_nudged");
  // By the report's time and a token of its own: pressed twice it is one message.
  return sendMessage(deps, {
    sessionId,
    token: digestOf(["nudge", runId, sessionId]),
    kind: "nudge",
    text: nudgeText(proposed),
    sentAt: startedAt,
    from: principal.principalId,
  });
}

const proposalsOf = (result: unknown): readonly Proposal[] => {
  const { proposals, observed } = record(record(result).proposals);
  return [...list(proposals), ...list(observed)] as Proposal[];
};

/**
 * Puts on record that a person sees a session otherwise than a report has it: later judges are shown it. Saying what
 * the report says is no disagreement.
 * @throws {AppError} nothing_judged
 */
export async function disagree(
  deps: { ledger: Pick<VerdictLedger, "disagree"> },
  { principal, runId, startedAt, result, noted }: Answering,
  said: z.infer<typeof DisagreementRequest>,
): Promise<{ recorded: boolean; disagreement: Disagreement | null }> {
  const { sessionId, verdict, note } = said;
  const row = list(record(result).verdicts)
    .map(record)
    .find(({ entry }) => record(entry).sessionId === sessionId);
  if (!row || !isId("ses", sessionId)) {
    throw new AppError("nothing_judged", `report ${runId} judges no session ${sessionId.slice(0, 100)}`, {
      runId,
      sessionId,
    });
  }
  const judgeVerdict = filled(row["verdict"]) ?? "active";
  await noted(judgeVerdict === verdict ? "verdict_agreed" : "verdict_disagreed");
  if (judgeVerdict === verdict) return { recorded: false, disagreement: null };
  const confidence = row["confidence"];
  const payload: Disagreement = {
    kind: "operator-disagreement",
    sessionId,
    judgeVerdict,
    judgeConfidence: typeof confidence === "number" ? confidence : null,
    operatorVerdict: verdict,
    fingerprint: null,
    ...(note && { note }),
  };
  const { ownerUid, principalId: by } = principal;
  await deps.ledger.disagree({ ownerUid, appId: DEFAULT_APP }, { by, at: startedAt, payload });
  return { recorded: true, disagreement: payload };
}
