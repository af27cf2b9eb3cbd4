import { admitWorkflow } from "../lib/intake/admit.ts";
import type { PassDeps } from "../lib/runs/pass.ts";
import { STUCK_RUN_MS, type RecoverDeps } from "../lib/runs/recover.ts";
import { ENV, optionalEnv } from "./env.ts";
import { libraryOf } from "./library-wiring.ts";
import { doorbellsOf, queueOf, runsOf } from "./queue-wiring.ts";
import type { Wiring } from "./wiring.ts";

/** What a pass works with. */
export function passDepsOf(wiring: Wiring): PassDeps {
  const { workflows } = libraryOf(wiring);
  return {
    ...resumeDepsOf(wiring),
    admit: (ownerUid, workflowId) => admitWorkflow(workflows, ownerUid, workflowId),
  };
}

/** What resume works with. */
export const resumeDepsOf = (wiring: Wiring) => ({
  queue: queueOf(wiring),
  runs: runsOf(wiring),
  doorbells: doorbellsOf(wiring),
  clock: wiring.clock,
});

/** What recover works with. */
export function recoverDepsOf(wiring: Wiring): RecoverDeps {
  const stuckRunMs = Number(optionalEnv(ENV.stuckRunMs) ?? STUCK_RUN_MS);
  const deadBeforeAt = Number(optionalEnv(ENV.deadBeforeMs) ?? 0);
  return { ...resumeDepsOf(wiring), stuckRunMs, deadBeforeAt };
}
