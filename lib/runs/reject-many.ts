import { ERRORS, isAppError } from "../core/errors.ts";
import { deriveId } from "../core/ids.ts";
import { inParallel } from "../core/in-parallel.ts";
import { decideOnRecord, type OnRecordDeps } from "./on-record.ts";
import type { Asking } from "./rerun.ts";
import type { Decision } from "./run.ts";
import { shownStatus } from "./run-view.ts";

/** Most holds of one request: each costs what one decision does. */
export const MAX_REJECTED = 50;

const AT_ONCE = 8;

export type Rejection = { holdId: string; sha256: string; decisionId?: string | undefined };

/** What became of one hold: applied, or the code of why not. */
export type Rejected = { holdId: string } & (
  | { outcome: "applied"; decision: Decision; runId: string; runStatus: string }
  | { outcome: string; detail: string; decision?: unknown }
);

/**
 * Rejects each of these holds by a decision of its own: one that fails leaves the others as they are. The same
 * request again answers the same, since the same person's rejection of the same bytes has the same id.
 */
export function rejectMany(
  deps: OnRecordDeps,
  asking: Asking,
  { holds, reason }: { holds: readonly Rejection[]; reason: string },
): Promise<Rejected[]> {
  return inParallel(holds, AT_ONCE, async ({ holdId, sha256, decisionId }): Promise<Rejected> => {
    const { principalId } = asking.principal;
    const request = {
      verdict: "reject" as const,
      sha256,
      reason,
      decisionId: decisionId ?? deriveId("dec", "reject", principalId, holdId, sha256),
    };
    try {
      const { run, decision } = await decideOnRecord(deps, holdId, asking, request);
      return { holdId, outcome: "applied", decision, runId: run.runId, runStatus: shownStatus(run) };
    } catch (error) {
      return refusalOf(holdId, error);
    }
  });
}

/** A refusal as an answer of its row; what is no refusal ends the request, and a repeat goes on. */
function refusalOf(holdId: string, error: unknown): Rejected {
  if (!isAppError(error) || ERRORS[error.code].disposition !== "reject") throw error;
  const outcome = error.code === "hold_not_found" ? "not_found" : error.code;
  const decision = "decision" in error.details ? error.details.decision : undefined;
  return { holdId, outcome, detail: error.message, ...(decision !== undefined && { decision }) };
}
