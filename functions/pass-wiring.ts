import { laneKey, type LaneKey } from "../lib/core/keys.ts";
import { admitWorkflow } from "../lib/intake/admit.ts";
import { tellUntold } from "../lib/intake/save-memo.ts";
import { fireDue, type FireDeps } from "../lib/loops/fire.ts";
import { readyLane } from "../lib/queue/writes.ts";
import { emptyReport, type PassReport } from "../lib/runs/pass-report.ts";
import type { PassDeps } from "../lib/runs/pass.ts";
import { STUCK_RUN_MS, type RecoverDeps } from "../lib/runs/recover.ts";
import type { ResumeDeps } from "../lib/runs/resume.ts";
import { isWorkflowBusy } from "../lib/runs/workflow-busy.ts";
import { ENV, optionalEnv } from "./env.ts";
import { libraryOf } from "./library-wiring.ts";
import { doorbellsOf, queueOf, runsOf } from "./queue-wiring.ts";
import { auditOf, noticesOf } from "./record-wiring.ts";
import { enqueueDepsOf, libraryUsdPerDay, loopsOf, spendOf, tellDepsOf } from "./tell-wiring.ts";
import type { Wiring } from "./wiring.ts";

/** What a pass works with. */
export function passDepsOf(wiring: Wiring): PassDeps & ResumeDeps {
  const { workflows } = libraryOf(wiring);
  const deps = {
    workflows,
    spend: spendOf(wiring),
    clock: wiring.clock,
    libraryUsdPerDay: libraryUsdPerDay(),
  };
  const loops = loopsOf(wiring);
  return {
    ...resumeDepsOf(wiring),
    admit: (ownerUid, workflowId) => admitWorkflow(deps, ownerUid, workflowId),
    wakeAt: (lane, at) => loops.putWake(lane, at),
  };
}

/** What resume works with. */
export const resumeDepsOf = (wiring: Wiring) => ({
  queue: queueOf(wiring),
  runs: runsOf(wiring),
  doorbells: doorbellsOf(wiring),
  clock: wiring.clock,
  notices: noticesOf(wiring),
});

/** What recover works with. */
export function recoverDepsOf(wiring: Wiring): RecoverDeps {
  const stuckRunMs = Number(optionalEnv(ENV.stuckRunMs) ?? STUCK_RUN_MS);
  const deadBeforeAt = Number(optionalEnv(ENV.deadBeforeMs) ?? 0);
  const tell = tellDepsOf(wiring, libraryOf(wiring));
  return {
    ...resumeDepsOf(wiring),
    audit: auditOf(wiring),
    stuckRunMs,
    deadBeforeAt,
    tellUntold: () => tellUntold(tell),
  };
}

/** The round before a pass: slots of schedules that have come, and waits that are over. */
export function fireRoundOf(wiring: Wiring): () => Promise<PassReport> {
  const queue = queueOf(wiring);
  const runs = runsOf(wiring);
  const deps: FireDeps = {
    ...enqueueDepsOf(wiring, libraryOf(wiring)),
    loops: loopsOf(wiring),
    isBusy: (ownerUid, workflowId, slotKey) =>
      isWorkflowBusy({ queue, runs }, laneKey(ownerUid, workflowId), slotKey),
    async wakeLane(lane) {
      await queue.writeLane(lane as LaneKey, readyLane(lane as LaneKey));
    },
  };
  return async () => ({ ...emptyReport(), ...(await fireDue(deps)) });
}
