import type { AuditEntry } from "../audit/entry.ts";
import type { AuditPlace, AuditStore } from "../audit/store.ts";
import { inParallel } from "../core/in-parallel.ts";
import { gatesOf, wasTakenBack } from "./hold-history.ts";
import type { Gate, Run } from "./run.ts";
import { shownStatus } from "./run-view.ts";
import type { RunStore } from "./store.ts";

/**
 * What became of what was asked for. stands: the hold was decided by it. taken_back: it was, until its decider took
 * it back. lost: the hold is still open, or was decided otherwise. unknown: there is no such run.
 */
export type AuditOutcome = "stands" | "taken_back" | "lost" | "unknown";

/** Acts that ask for a decision: they are on record before it is written, so that another may stand. */
const ASKED: ReadonlySet<string> = new Set(["decision_asked", "hold_expired"]);

const RUNS_AT_ONCE = 8;

type Known = { run: Run; gates: readonly Gate[] };

/** A page of the record, newest first; what was asked for says whether it stands, and how its run is. */
export async function readAudit(
  deps: { audits: Pick<AuditStore, "page">; runs: RunStore },
  ownerUid: string,
  page: { since: number; limit: number; after: AuditPlace | null },
) {
  const { entries, next } = await deps.audits.page(ownerUid, page);
  const asked = entries.filter(({ act }) => ASKED.has(act)).flatMap(({ runId }) => runId ?? []);
  const heads = await deps.runs.readHeads([...new Set(asked)]);
  const gates = await inParallel(heads, RUNS_AT_ONCE, (run) => gatesOf(deps.runs, run));
  const known = new Map<string, Known>(
    heads.map((run, index) => [run.runId, { run, gates: gates[index] ?? [] }]),
  );
  const items = entries.map(({ seq: _seq, ...entry }) => {
    if (!ASKED.has(entry.act)) return entry;
    const of = known.get(entry.runId ?? "");
    return { ...entry, outcome: outcomeOf(entry, of), runStatus: of ? shownStatus(of.run) : null };
  });
  return { items, next };
}

function outcomeOf({ holdId, decisionId, by }: AuditEntry, known: Known | undefined): AuditOutcome {
  if (!known) return "unknown";
  const at = known.gates.findIndex((gate) => gate.holdId === holdId);
  const gate = known.gates[at];
  if (gate?.decision?.decisionId !== decisionId || gate?.decision?.by !== by) return "lost";
  return wasTakenBack(gate, known.gates[at + 1]) ? "taken_back" : "stands";
}
