import { DECISION_PREFIX, decisionPart } from "./parts.ts";
import { nthHold, type Gate, type Run } from "./run.ts";
import type { RunStore } from "./store.ts";

/**
 * Keeps a decided gate in a row of its own. Before any write that takes it off the head, so that a decision is
 * never forgotten: a repeat of it is recognised, and its reason is found.
 */
export async function keepDecision(runs: RunStore, { runId, gate }: Run): Promise<void> {
  if (!gate?.decision) return;
  await runs.putPart(runId, { part: decisionPart(gate.holdId), text: "", gate });
}

/** One hold of the run, whether it is the one on the head or one of the past. */
export async function gateOf(runs: RunStore, run: Run, holdId: string): Promise<Gate | undefined> {
  if (run.gate?.holdId === holdId) return run.gate;
  const row = await runs.readPart(run.runId, decisionPart(holdId));
  return row?.["gate"] as Gate | undefined;
}

/** Every hold that the run has had, oldest first; the last is the one on the head. */
export async function gatesOf(runs: RunStore, run: Run): Promise<Gate[]> {
  if (!run.gate) return [];
  const current = run.gate;
  if (run.holdSeq < 2) return [current];
  const rows = await runs.readParts(run.runId, DECISION_PREFIX);
  const past = rows.map((row) => row["gate"] as Gate).filter(({ holdId }) => holdId !== current.holdId);
  return [...past, current].sort((a, b) => nthHold(a.holdId) - nthHold(b.holdId));
}

/** Whether this hold was decided and its decision taken back: the next one shows the same, and is as old. */
export const wasTakenBack = (gate: Gate, next: Gate | undefined): boolean =>
  next !== undefined &&
  next.kind === gate.kind &&
  next.sha256 === gate.sha256 &&
  next.revision === gate.revision &&
  next.openedAt === gate.openedAt;
