import { addReports, type PassReport } from "../lib/runs/pass-report.ts";
import { pass, type PassDeps } from "../lib/runs/pass.ts";
import { recover, type RecoverDeps } from "../lib/runs/recover.ts";
import { resume, type ResumeDeps } from "../lib/runs/resume.ts";
import { ENV } from "./env.ts";
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
};

/** The manual round: resume, what is due, pass, recover, in this order. It has a key of its own. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "GET /api/internal/cron/run-workflows": internalRoute(deps.internalKey, {
      async run() {
        const rounds = [
          await resume(deps.passDeps),
          await deps.fire(),
          await pass(deps.passDeps),
          await recover(deps.recoverDeps),
        ];
        const report = addReports(rounds);
        await deps.record?.("all", report);
        return { status: 200, body: report };
      },
    }),
  });
}

export const handler = wired(createHandler, (wiring) => ({
  clock: wiring.clock,
  log: wiring.log,
  passDeps: passDepsOf(wiring),
  recoverDeps: recoverDepsOf(wiring),
  fire: fireRoundOf(wiring),
  internalKey: wiring.env(ENV.internalKey),
  record: passRecorderOf(wiring),
}));
