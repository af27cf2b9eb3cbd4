import { actorOf } from "../audit/entry.ts";
import type { Audit } from "../audit/note.ts";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { momentOf } from "../core/moment.ts";
import type { SnoozeStore } from "../snoozes/store.ts";
import type { Asking } from "./rerun.ts";
import { runOfHold, type RunIn } from "./run.ts";
import type { RunStore } from "./store.ts";

export type SnoozeDeps = { runs: RunStore; snoozes: SnoozeStore; audit: Audit; clock: Clock };

/**
 * Hides an open hold from the list of one steward until a time that is before its expiry. The hold knows nothing of
 * it: its deadlines stay where they are, and everybody else sees it.
 * @throws {AppError} hold_not_found, hold_closed, invalid_request
 */
export async function snoozeHold(
  deps: SnoozeDeps,
  holdId: string,
  asking: Asking,
  said: string,
): Promise<{ holdId: string; snoozedUntil: number; expiresAt: number }> {
  const at = deps.clock.now();
  const run = await openHold(deps.runs, holdId, asking.principal.ownerUid);
  const { expiresAt } = run.gate;
  const until = momentOf(said, at, "ahead");
  if (until === undefined) {
    throw invalidUntil('is neither a time such as "2027-01-31T09:00:00Z" nor a duration such as "3d"');
  }
  if (until <= at) throw invalidUntil("is not in the future");
  if (until > expiresAt) {
    throw invalidUntil(`is after the hold expires, at ${new Date(expiresAt).toISOString()}`);
  }
  await note(deps, run, asking, { act: "hold_snoozed", at, until });
  await deps.snoozes.put(run.ownerUid, asking.principal.principalId, holdId, until);
  return { holdId, snoozedUntil: until, expiresAt };
}

/**
 * Shows a hold in this steward's list again; safe to repeat.
 * @throws {AppError} hold_not_found, hold_closed
 */
export async function unsnoozeHold(
  deps: SnoozeDeps,
  holdId: string,
  asking: Asking,
): Promise<{ holdId: string; snoozedUntil: null; expiresAt: number }> {
  const at = deps.clock.now();
  const run = await openHold(deps.runs, holdId, asking.principal.ownerUid);
  await note(deps, run, asking, { act: "hold_unsnoozed", at });
  await deps.snoozes.remove(run.ownerUid, asking.principal.principalId, holdId);
  return { holdId, snoozedUntil: null, expiresAt: run.gate.expiresAt };
}

async function openHold(runs: RunStore, holdId: string, ownerUid: string): Promise<RunIn<"suspended">> {
  const runId = runOfHold(holdId);
  const run = runId && (await runs.readHead(runId));
  if (!run || run.ownerUid !== ownerUid || !run.gate) {
    throw new AppError("hold_not_found", `there is no hold ${holdId}`, { holdId });
  }
  if (run.status === "suspended" && run.gate.holdId === holdId && !run.gate.decision) return run;
  throw new AppError("hold_closed", `hold ${holdId} is closed; it is in no list`, {
    holdId,
    runStatus: run.status,
  });
}

const note = (
  { audit }: SnoozeDeps,
  { runId, ownerUid, workflowId, gate }: RunIn<"suspended">,
  { principal, sessionId }: Asking,
  act: { act: "hold_snoozed" | "hold_unsnoozed"; at: number; until?: number },
) =>
  audit.note(ownerUid, { ...actorOf(principal, sessionId), holdId: gate.holdId, runId, workflowId, ...act });

function invalidUntil(message: string): AppError {
  return new AppError("invalid_request", `the body is not of the right form at /until: ${message}`, {
    failing: [{ pointer: "/until", message }],
  });
}
