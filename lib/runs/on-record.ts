import { actorOf, type AuditEntry } from "../audit/entry.ts";
import type { Audit } from "../audit/note.ts";
import type { Clock } from "../core/clock.ts";
import { ERRORS, isAppError } from "../core/errors.ts";
import { decide, type DecideDeps, type Decided } from "./decide.ts";
import type { DecisionRequest } from "./decision-request.ts";
import type { Asking } from "./rerun.ts";
import { runOfHold } from "./run.ts";
import { takeBackDecision, type TakeBackDeps, type TakenBack } from "./take-back.ts";

export type OnRecordDeps = DecideDeps & { audit: Audit };

/**
 * A decision with its record: what was asked for stands in the audit before it is written, and a refusal with its
 * code. What names nothing of this owner is no act and leaves nothing.
 * @throws {AppError} as `decide` does
 */
export async function decideOnRecord(
  deps: OnRecordDeps,
  holdId: string,
  asking: Asking,
  request: DecisionRequest,
): Promise<Decided> {
  const { verdict, sha256, decisionId } = request;
  const entry: Entry = { holdId, verdict, sha256, decisionId };
  const asked = recorderOf(deps, asking, entry, "decision_asked");
  return refusalsOnRecord(deps, asking, entry, () =>
    decide({ ...deps, asked }, holdId, asking.principal, request),
  );
}

/**
 * The same for what takes a decision back.
 * @throws {AppError} as `takeBackDecision` does
 */
export async function takeBackOnRecord(
  deps: TakeBackDeps & { audit: Audit },
  holdId: string,
  asking: Asking,
  decisionId: string,
): Promise<TakenBack> {
  const entry: Entry = { holdId, verdict: "take_back", decisionId };
  const asked = recorderOf(deps, asking, entry, "decision_taken_back");
  return refusalsOnRecord(deps, asking, entry, () =>
    takeBackDecision({ ...deps, asked }, holdId, asking.principal, decisionId),
  );
}

type Entry = {
  holdId: string;
  verdict: string;
  sha256?: string;
  /** As the client named it: without one a repeat cannot be told from another act. */
  decisionId?: string | undefined;
};

function recorderOf(
  { audit, clock }: { audit: Audit; clock: Clock },
  { principal, sessionId }: Asking,
  { decisionId: said, ...entry }: Entry,
  act: "decision_asked" | "decision_taken_back",
): NonNullable<DecideDeps["asked"]> {
  return (run, { sha256 }, { decisionId, lands, hasReason }) =>
    audit.note(
      principal.ownerUid,
      {
        ...actorOf(principal, sessionId),
        act,
        at: clock.now(),
        runId: run.runId,
        workflowId: run.workflowId,
        ...entry,
        sha256,
        decisionId,
        ...(lands && { lands }),
        ...(hasReason && { hasReason }),
      },
      { mayRepeat: said !== undefined },
    );
}

async function refusalsOnRecord<T>(
  { audit, clock }: { audit: Audit; clock: Clock },
  { principal, sessionId }: Asking,
  { holdId, decisionId, ...entry }: Entry,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const code = denialOf(error);
    if (!code) throw error;
    const denied = {
      ...actorOf(principal, sessionId),
      act: "decision_denied" as const,
      at: clock.now(),
      ...named(holdId),
      ...entry,
      ...(decisionId !== undefined && { decisionId }),
      code,
    };
    await audit.note(principal.ownerUid, denied, { mayRepeat: decisionId !== undefined });
    throw error;
  }
}

/** Puts on record that a key without the scope asked for a decision. */
export async function noteDenied(
  deps: Pick<OnRecordDeps, "audit" | "clock">,
  holdId: string,
  { principal, sessionId }: Asking,
): Promise<void> {
  await deps.audit.note(principal.ownerUid, {
    ...actorOf(principal, sessionId),
    ...named(holdId),
    act: "decision_denied",
    at: deps.clock.now(),
    code: "scope_missing",
  });
}

/** A hold that may be one, with its run; a text that cannot be an id of ours is not kept. */
function named(holdId: string): Pick<AuditEntry, "holdId" | "runId"> {
  const runId = runOfHold(holdId);
  return runId ? { holdId, runId } : {};
}

/** The code of a refusal that concerns somebody's right or somebody's hold; undefined for everything else. */
function denialOf(error: unknown): string | undefined {
  if (!isAppError(error)) return undefined;
  const { httpStatus } = ERRORS[error.code];
  return httpStatus === 403 || httpStatus === 409 ? error.code : undefined;
}
