import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { Metrics } from "../lib/core/metrics.ts";
import { WakeBell } from "../lib/queue/doorbell.ts";
import type { PassReport } from "../lib/runs/pass-report.ts";
import { pass, type PassDeps } from "../lib/runs/pass.ts";
import { meterOf, metricsOf, passMetrics } from "./meter-wiring.ts";
import { batchHandler } from "./middleware/batch.ts";
import type { Log } from "./middleware/log.ts";
import { scheduledHandler } from "./middleware/scheduled.ts";
import { passRecorderOf, type PassRecorder } from "./pass-record.ts";
import { passDepsOf } from "./pass-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = PassDeps & {
  log: Log;
  record?: PassRecorder;
  metrics?: Metrics;
  measure?: (report: PassReport) => void;
};

/** Wake doorbells: many of them are one reason to look, so a batch is one pass. */
export function createHandler(deps: Deps): (event: SQSEvent) => Promise<SQSBatchResponse> {
  const { log, record, measure } = deps;
  const round = scheduledHandler("pass", { log, round: () => pass(deps), record, measure });
  return async (event) => {
    let looked = false;
    const handle = batchHandler(deps, WakeBell, async () => {
      if (looked) return;
      await round();
      looked = true;
    });
    return handle(event);
  };
}

export const handler = wired(createHandler, (wiring) => {
  const metrics = metricsOf(wiring, "queueWake");
  const meter = meterOf({ metrics, clock: wiring.clock }, passMetrics);
  return {
    ...meter.over(passDepsOf(wiring)),
    log: wiring.log,
    record: passRecorderOf(wiring),
    metrics,
    measure: meter.measure,
  };
});
