import type { PassReport } from "../lib/runs/pass-report.ts";
import { recover } from "../lib/runs/recover.ts";
import type { Log } from "./middleware/log.ts";
import { scheduledHandler } from "./middleware/scheduled.ts";
import { passRecorderOf, type PassRecorder } from "./pass-record.ts";
import { recoverDepsOf } from "./pass-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = Parameters<typeof recover>[0] & { log: Log; record?: PassRecorder };

/** One round of recover, by the five-minute rule. */
export function createHandler(deps: Deps): () => Promise<PassReport> {
  return scheduledHandler("recover", { log: deps.log, round: () => recover(deps), record: deps.record });
}

export const handler = wired(createHandler, (wiring) => ({
  ...recoverDepsOf(wiring),
  log: wiring.log,
  record: passRecorderOf(wiring),
}));
