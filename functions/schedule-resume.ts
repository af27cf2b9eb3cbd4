import type { PassReport } from "../lib/runs/pass-report.ts";
import { resume } from "../lib/runs/resume.ts";
import type { Log } from "./middleware/log.ts";
import { scheduledHandler } from "./middleware/scheduled.ts";
import { passRecorderOf, type PassRecorder } from "./pass-record.ts";
import { resumeDepsOf } from "./pass-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = Parameters<typeof resume>[0] & { log: Log; record?: PassRecorder };

/** One round of resume, by the five-minute rule. */
export function createHandler(deps: Deps): () => Promise<PassReport> {
  return scheduledHandler("resume", { log: deps.log, round: () => resume(deps), record: deps.record });
}

export const handler = wired(createHandler, (wiring) => ({
  ...resumeDepsOf(wiring),
  log: wiring.log,
  record: passRecorderOf(wiring),
}));
