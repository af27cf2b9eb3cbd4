import type { Audit } from "../lib/audit/note.ts";
import { actorOf } from "../lib/audit/entry.ts";
import type { Clock } from "../lib/core/clock.ts";
import type { Principal } from "../lib/core/principal.ts";
import type { SwitchDeps } from "../lib/loops/switch.ts";
import type { RunStore } from "../lib/runs/store.ts";
import type { Message } from "../lib/sessions/mailbox.ts";
import type { SessionStore } from "../lib/sessions/store.ts";
import { disagree, sendNudge, type DisagreementRequest } from "../lib/steward/answer-report.ts";
import type { VerdictLedger } from "../lib/steward/store.ts";
import type * as z from "zod";
import { passOf } from "./session-reports.ts";

export type ReportDeps = SwitchDeps & {
  runs: RunStore;
  sessions: SessionStore;
  ledger: VerdictLedger;
  audit: Audit;
  clock: Clock;
};

/** Who says something to a report, and in which session. */
export type Saying = { principal: Principal; sessionId: string | null };

/** A person sends a session the word that a report proposes. @throws {AppError} as sendNudge, and run_not_found */
export async function nudgeOnRecord(
  deps: ReportDeps,
  { principal, sessionId }: Saying,
  runId: string,
  to: string,
): Promise<Message> {
  const pass = await passOf(deps, principal.ownerUid, runId);
  const startedAt = pass.startedAt ?? pass.run.createdAt;
  const sent = await sendNudge(deps, { principal, runId, startedAt, result: pass.result }, to);
  await deps.audit.note(principal.ownerUid, {
    ...actorOf(principal, sessionId),
    act: "session_nudged",
    at: sent.sentAt,
    runId,
    ofSessionId: to,
  });
  return sent;
}

/** How a person sees a session, as a report has it or otherwise. @throws {AppError} as disagree, and run_not_found */
export async function disagreeOnRecord(
  deps: ReportDeps,
  { principal, sessionId }: Saying,
  runId: string,
  said: z.infer<typeof DisagreementRequest>,
): ReturnType<typeof disagree> {
  const pass = await passOf(deps, principal.ownerUid, runId);
  const startedAt = pass.startedAt ?? pass.run.createdAt;
  const heard = await disagree(deps, { principal, runId, startedAt, result: pass.result }, said);
  await deps.audit.note(principal.ownerUid, {
    ...actorOf(principal, sessionId),
    act: heard.recorded ? "verdict_disagreed" : "verdict_agreed",
    at: startedAt,
    runId,
    verdict: said.verdict,
    ofSessionId: said.sessionId,
  });
  return heard;
}
