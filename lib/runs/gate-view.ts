import { gatesOf, wasTakenBack } from "./hold-history.ts";
import { reasonPart } from "./parts.ts";
import type { Gate, Run } from "./run.ts";
import type { RunStore } from "./store.ts";

/** A gate with its decision and the reason that was given. */
export async function gateView(runs: RunStore, runId: string, { decision, ...open }: Gate) {
  if (!decision) return { ...open, decision: null };
  const { hasReason, said: _digest, ...shown } = decision;
  const reason = hasReason ? (await runs.readPart(runId, reasonPart(decision)))?.text : undefined;
  return { ...open, decision: { ...shown, reason: reason ?? null } };
}

/** Every hold that a run has had, oldest first: what each asked and what was said of it. */
export async function holdsView(runs: RunStore, run: Run) {
  const gates = await gatesOf(runs, run);
  return Promise.all(
    gates.map(async (gate, n) => ({
      ...(await gateView(runs, run.runId, gate)),
      takenBack: wasTakenBack(gate, gates[n + 1]),
    })),
  );
}
