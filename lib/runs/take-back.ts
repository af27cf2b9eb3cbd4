import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Principal } from "../core/principal.ts";
import { takeBack } from "./gate-writes.ts";
import { checkDecides, ownHold } from "./hold-access.ts";
import { gateOf, keepDecision, wasTakenBack } from "./hold-history.ts";
import { nextHoldId } from "./open-hold.ts";
import { conflictPart } from "./parts.ts";
import { holdIdOf, isTerminal, LANDS, nthHold, type Decision, type Gate, type Run } from "./run.ts";
import type { RunStore } from "./store.ts";

export type TakenBack = {
  run: Run;
  /** The decision that is void now. */
  decision: Decision;
  /** The hold that is open in place of the one that was decided. */
  holdId: string;
};

export type TakeBackDeps = {
  runs: RunStore;
  clock: Clock;
  /** Puts on record what was asked for, before anything of it is written. */
  asked?(run: Run, hold: { holdId: string; sha256: string }, decision: Decision): Promise<void>;
};

/** A checkpoint or a lease may come between the read and the write. */
const TRIES = 3;

/**
 * Takes an approval back before anything was written for it: the run waits again, at a new hold that shows the same
 * bytes. By whoever decided alone. Safe to repeat.
 * @throws {AppError} hold_not_found, decider_not_allowed, too_late
 */
export async function takeBackDecision(
  deps: TakeBackDeps,
  holdId: string,
  principal: Principal,
  decisionId: string,
): Promise<TakenBack> {
  checkDecides(principal, holdId);
  for (let attempt = 0; ; attempt++) {
    const { run, gate } = await ownHold(deps, principal.ownerUid, holdId);
    const { decision } = gate;
    if (!decision || decision.decisionId !== decisionId) throw tooLate(run, holdId, "has no such decision");
    if (decision.by !== principal.principalId) {
      throw new AppError("decider_not_allowed", `${decision.username} decided, and alone can take it back`, {
        holdId,
      });
    }
    const nextId = holdIdOf(run.runId, nthHold(holdId) + 1);
    if (wasTakenBack(gate, await gateOf(deps.runs, run, nextId))) return { run, decision, holdId: nextId };
    const why = whyTooLate(run, gate, decision);
    if (why || attempt === TRIES) throw tooLate(run, holdId, why ?? "is moving on right now");
    await deps.asked?.(run, gate, decision);
    await keepDecision(deps.runs, run);
    await keepConflict(deps.runs, run, gate, nextId);
    const { epoch, holdSeq, ownerUid } = run;
    const write = takeBack({ epoch, holdSeq, gate, decision, ownerUid }, nextHoldId(run));
    const open = await deps.runs.writeHead(run.runId, write);
    if (open) return { run: open, decision, holdId: nextId };
  }
}

/** The hold that takes a conflict's place shows what the first one lost to. */
async function keepConflict(runs: RunStore, { runId }: Run, gate: Gate, nextId: string): Promise<void> {
  if (gate.kind !== "conflict") return;
  const row = await runs.readPart(runId, conflictPart(gate.holdId));
  if (row) await runs.putPart(runId, { ...row, part: conflictPart(nextId) });
}

function whyTooLate(run: Run, gate: Gate, { verdict }: Decision): string | undefined {
  if (!LANDS.some((lands) => lands === verdict))
    return `was decided as ${verdict}, which takes effect at once`;
  if (run.gate?.holdId !== gate.holdId) return "is of the past: the run waits at another one";
  if (isTerminal(run)) return `has ended its run as ${run.status}`;
  if (run.intent) return "is landing already";
  return run.status === "suspended" || run.status === "running" ? undefined : "is ending its run";
}

const tooLate = (run: Run, holdId: string, why: string) =>
  new AppError("too_late", `hold ${holdId} ${why}`, { holdId, runStatus: run.status });
