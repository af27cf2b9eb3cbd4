import type { Clock } from "../lib/core/clock.ts";
import type { Metrics } from "../lib/core/metrics.ts";
import type { Model } from "../lib/model/model.ts";
import type { QueueStore } from "../lib/queue/store.ts";
import type { PassReport } from "../lib/runs/pass-report.ts";
import type { Run } from "../lib/runs/run.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { ENV } from "./env.ts";
import { createMetrics } from "./middleware/metrics.ts";
import { createWatch, type Sightings } from "./watched-stores.ts";
import type { Wiring } from "./wiring.ts";

/** Metrics of one function, under the name that the topology gives it. */
export const metricsOf = (wiring: Wiring, name: string): Metrics =>
  createMetrics({ stage: wiring.env(ENV.stage), name });

const ageOf = (at: number | undefined, now: number): number => (at === undefined ? 0 : Math.max(0, now - at));

/** What a pass tells, whether or not there was something to do. */
export function passMetrics(metrics: Metrics, report: PassReport, seen: Sightings, now: number): void {
  metrics.emit({
    ItemsStarted: report.started,
    RunsFailed: seen.failedRuns,
    OldestPendingAgeMs: ageOf(seen.oldestPendingAt, now),
  });
}

/** What a round of recover tells. */
export function recoverMetrics(metrics: Metrics, report: PassReport, seen: Sightings, now: number): void {
  metrics.emit({
    RunsRecovered: report.recovered,
    RunsExhausted: report.exhausted,
    HoldsExpired: report.expired,
    RunsFailed: seen.failedRuns,
    OldestRunningAgeMs: ageOf(seen.oldestRunningAt, now),
    OldestHoldAgeMs: ageOf(seen.oldestHoldAt, now),
  });
}

/** A round's meter: deps that are watched, and what tells of them after each round. */
export function meterOf(
  { metrics, clock }: { metrics: Metrics; clock: Clock },
  tell: (metrics: Metrics, report: PassReport, seen: Sightings, now: number) => void,
) {
  const watch = createWatch();
  return {
    over: watch.over,
    measure: (report: PassReport): void => tell(metrics, report, watch.take(), clock.now()),
  };
}

type Metered = { runs: RunStore; queue: QueueStore; model: Model; metrics?: Metrics };

/** A runner's meter: deps that are watched, and what tells of a ticket, however it ended. */
export function runMeterOf<D extends Metered>(deps: D) {
  const watch = createWatch();
  let modelCalls = 0;
  let head: Run | undefined;
  const model: Model = (request) => {
    modelCalls++;
    return deps.model(request);
  };
  return {
    deps: { ...watch.over(deps), model },
    tell(): void {
      const seen = watch.take();
      deps.metrics?.emit({ ModelCalls: modelCalls, RunsFailed: seen.failedRuns });
      ({ head } = seen);
      modelCalls = 0;
    },
    /** The run as the ticket left it; undefined when it wrote nothing. */
    head: (): Run | undefined => head,
  };
}
