import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { WakeBell } from "../lib/queue/doorbell.ts";
import { pass, type PassDeps } from "../lib/runs/pass.ts";
import { batchHandler } from "./middleware/batch.ts";
import type { Log } from "./middleware/log.ts";
import { scheduledHandler } from "./middleware/scheduled.ts";
import { passRecorderOf, type PassRecorder } from "./pass-record.ts";
import { passDepsOf } from "./pass-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = PassDeps & { log: Log; record?: PassRecorder };

/** Wake doorbells: many of them are one reason to look, so a batch is one pass. */
export function createHandler(deps: Deps): (event: SQSEvent) => Promise<SQSBatchResponse> {
  const round = scheduledHandler("pass", { log: deps.log, round: () => pass(deps), record: deps.record });
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

export const handler = wired(createHandler, (wiring) => ({
  ...passDepsOf(wiring),
  log: wiring.log,
  record: passRecorderOf(wiring),
}));
