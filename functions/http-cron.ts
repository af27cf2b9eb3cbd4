import { addReports, type PassReport } from "../lib/runs/pass-report.ts";
import { pass, type PassDeps } from "../lib/runs/pass.ts";
import { recover, type RecoverDeps } from "../lib/runs/recover.ts";
import { resume, type ResumeDeps } from "../lib/runs/resume.ts";
import { ENV } from "./env.ts";
import { meterOf, metricsOf, passMetrics, recoverMetrics } from "./meter-wiring.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { internalRoute } from "./middleware/internal-route.ts";
import { passRecorderOf, type PassRecorder } from "./pass-record.ts";
import { fireRoundOf, passDepsOf, recoverDepsOf } from "./pass-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = Omit<HttpDeps, "sessions"> & {
  passDeps: PassDeps & ResumeDeps;
  recoverDeps: RecoverDeps;
  fire(): Promise<PassReport>;
  internalKey: string;
  record?: PassRecorder;
  /** Emits what a pass and a round of recover counted. */
  measure?: { pass(report: PassReport): void; recover(report: PassReport): void };
};

/** The manual round: resume, what is due, pass, recover, in this order. It has a key of its own. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "GET /api/internal/cron/run-workflows": internalRoute(deps.internalKey, {
      async run() {
        const resumed = await resume(deps.passDeps);
        const passed = addReports([await deps.fire(), await pass(deps.passDeps)]);
        deps.measure?.pass(passed);
        const recovered = await recover(deps.recoverDeps);
        deps.measure?.recover(recovered);
        const report = addReports([resumed, passed, recovered]);
        await deps.record?.("all", report);
        return { status: 200, body: report };
      },
    }),
  });
}

export const handler = wired(createHandler, (wiring) => {
  const meters = { metrics: metricsOf(wiring, "httpCron"), clock: wiring.clock };
  const passMeter = meterOf(meters, passMetrics);
  const recoverMeter = meterOf(meters, recoverMetrics);
  return {
    clock: wiring.clock,
    log: wiring.log,
    passDeps: passMeter.over(passDepsOf(wiring)),
    recoverDeps: recoverMeter.over(recoverDepsOf(wiring)),
    fire: fireRoundOf(wiring),
    internalKey: wiring.env(ENV.internalKey),
    record: passRecorderOf(wiring),
    measure: { pass: passMeter.measure, recover: recoverMeter.measure },
  };
});
