import type { Audit } from "../lib/audit/note.ts";
import { actorOf, type Act, type AuditEntry } from "../lib/audit/entry.ts";
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
  saying: Saying,
  runId: string,
  to: string,
): Promise<Message> {
  return sendNudge(deps, await answering(deps, saying, runId, { ofSessionId: to }), to);
}

/** How a person sees a session, as a report has it or otherwise. @throws {AppError} as disagree, and run_not_found */
export async function disagreeOnRecord(
  deps: ReportDeps,
  saying: Saying,
  runId: string,
  said: z.infer<typeof DisagreementRequest>,
): ReturnType<typeof disagree> {
  const about = { ofSessionId: said.sessionId, verdict: said.verdict };
  return disagree(deps, await answering(deps, saying, runId, about), said);
}

async function answering(
  deps: ReportDeps,
  { principal, sessionId }: Saying,
  runId: string,
  about: Pick<AuditEntry, "ofSessionId" | "verdict">,
) {
  const { ownerUid } = principal;
  const { run, startedAt: began, result } = await passOf(deps, ownerUid, runId);
  const startedAt = began ?? run.createdAt;
  // By the report's time: said twice it is one row.
  const entry = { ...actorOf(principal, sessionId), at: startedAt, runId, ...about };
  const noted = (act: Act) => deps.audit.note(ownerUid, { ...entry, act });
  return { principal, runId, startedAt, result, noted };
}
