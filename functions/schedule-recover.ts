import type { PassReport } from "../lib/runs/pass-report.ts";
import { recover } from "../lib/runs/recover.ts";
import { meterOf, metricsOf, recoverMetrics } from "./meter-wiring.ts";
import type { Log } from "./middleware/log.ts";
import { scheduledHandler } from "./middleware/scheduled.ts";
import { passRecorderOf, type PassRecorder } from "./pass-record.ts";
import { recoverDepsOf } from "./pass-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = Parameters<typeof recover>[0] & {
  log: Log;
  record?: PassRecorder;
  measure?: (report: PassReport) => void;
};

/** One round of recover, by the five-minute rule. */
export function createHandler(deps: Deps): () => Promise<PassReport> {
  const { log, record, measure } = deps;
  return scheduledHandler("recover", { log, round: () => recover(deps), record, measure });
}

export const handler = wired(createHandler, (wiring) => {
  const metrics = metricsOf(wiring, "scheduleRecover");
  const meter = meterOf({ metrics, clock: wiring.clock }, recoverMetrics);
  return {
    ...meter.over(recoverDepsOf(wiring)),
    log: wiring.log,
    record: passRecorderOf(wiring),
    measure: meter.measure,
  };
});
