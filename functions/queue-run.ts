import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { Metrics } from "../lib/core/metrics.ts";
import { unitRandom } from "../lib/core/ids.ts";
import { hasMemo } from "../lib/memos/read.ts";
import { parseConfig } from "../lib/model/config.ts";
import { pricingOf } from "../lib/model/pricing.ts";
import { RunBell } from "../lib/queue/doorbell.ts";
import { runTicket } from "../lib/runs/execute.ts";
import type { RunnerDeps } from "../lib/runs/runner-deps.ts";
import { dispatchersOf } from "./dispatch-wiring.ts";
import { ENV, optionalEnv } from "./env.ts";
import { libraryOf } from "./library-wiring.ts";
import { metricsOf, runMeterOf } from "./meter-wiring.ts";
import { readersOf } from "./reader-wiring.ts";
import { batchHandler } from "./middleware/batch.ts";
import type { Log } from "./middleware/log.ts";
import { doorbellsOf, queueOf, runsOf } from "./queue-wiring.ts";
import { registeredOf } from "./registered-wiring.ts";
import { noticesOf } from "./record-wiring.ts";
import { timerTicker } from "./timers.ts";
import { libraryUsdPerDay, spendOf } from "./tell-wiring.ts";
import { createModels } from "./wiring-model.ts";
import { wired } from "./wiring.ts";

type Deps = Omit<RunnerDeps, "remainingMs"> & { log: Log; metrics?: Metrics };

/** Run doorbells: one runner for each ticket. */
export function createHandler(deps: Deps): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  return (event, context) => {
    const meter = runMeterOf(deps);
    const runner = { ...meter.deps, remainingMs: () => context.getRemainingTimeInMillis() };
    return batchHandler(deps, RunBell, async (bell) => {
      const outcome = await runTicket(runner, bell).finally(meter.tell);
      const { status, sessionId } = meter.head() ?? {};
      const { runId, epoch } = bell;
      const requestId = context.awsRequestId;
      deps.log.info("ticket", { requestId, sessionId, runId, epoch, outcome, status });
    })(event);
  };
}

export const handler = wired(createHandler, (wiring) => {
  const library = libraryOf(wiring);
  const { memos, workflows } = library;
  const configJson = optionalEnv(ENV.config) ?? "";
  const runs = runsOf(wiring);
  const config = () => parseConfig(configJson);
  const { clock, ids, log } = wiring;
  return {
    clock,
    ids,
    log,
    metrics: metricsOf(wiring, "queueRun"),
    ticker: timerTicker,
    random: unitRandom,
    queue: queueOf(wiring),
    runs,
    memos,
    doorbells: doorbellsOf(wiring),
    notices: noticesOf(wiring),
    model: createModels(configJson),
    dispatchers: dispatchersOf(wiring, library),
    spend: spendOf(wiring),
    libraryUsdPerDay: libraryUsdPerDay(),
    pricingOf: (model: string) => pricingOf(config(), model),
    hasMemo: (ownerUid: string, ref: string) => hasMemo(library, ownerUid, ref),
    compile: async (ownerUid: string, workflowId: string) =>
      (await workflows.byId(ownerUid, workflowId))?.compiled,
    ...readersOf(wiring, { ...library, runs, fetchHosts: () => config().fetch.hosts }),
    gateMemoIds: (ownerUid: string) => workflows.gateMemoIds(ownerUid),
    ...registeredOf(wiring, library),
  };
});
