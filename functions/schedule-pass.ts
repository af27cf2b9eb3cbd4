import { addReports, type PassReport } from "../lib/runs/pass-report.ts";
import { pass } from "../lib/runs/pass.ts";
import { meterOf, metricsOf, passMetrics } from "./meter-wiring.ts";
import type { Log } from "./middleware/log.ts";
import { scheduledHandler } from "./middleware/scheduled.ts";
import { passRecorderOf, type PassRecorder } from "./pass-record.ts";
import { fireRoundOf, passDepsOf } from "./pass-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = Parameters<typeof pass>[0] & {
  log: Log;
  fire(): Promise<PassReport>;
  record?: PassRecorder;
  measure?: (report: PassReport) => void;
};

/** What is due, then one round of pass, by the five-minute rule. */
export function createHandler(deps: Deps): () => Promise<PassReport> {
  const round = async () => addReports([await deps.fire(), await pass(deps)]);
  return scheduledHandler("pass", { log: deps.log, round, record: deps.record, measure: deps.measure });
}

export const handler = wired(createHandler, (wiring) => {
  const meter = meterOf({ metrics: metricsOf(wiring, "schedulePass"), clock: wiring.clock }, passMetrics);
  return {
    ...meter.over(passDepsOf(wiring)),
    log: wiring.log,
    fire: fireRoundOf(wiring),
    record: passRecorderOf(wiring),
    measure: meter.measure,
  };
});
