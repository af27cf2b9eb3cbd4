import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { unitRandom } from "../lib/core/ids.ts";
import { createMemoDispatcher } from "../lib/dispatch/memo.ts";
import { createSearch } from "../lib/memos/search.ts";
import { RunBell } from "../lib/queue/doorbell.ts";
import { runTicket } from "../lib/runs/execute.ts";
import type { RunnerDeps } from "../lib/runs/runner-deps.ts";
import { ENV, optionalEnv } from "./env.ts";
import { libraryOf } from "./library-wiring.ts";
import { batchHandler } from "./middleware/batch.ts";
import type { Log } from "./middleware/log.ts";
import { doorbellsOf, queueOf, runsOf } from "./queue-wiring.ts";
import { timerTicker } from "./timers.ts";
import { createModels } from "./wiring-model.ts";
import { wired } from "./wiring.ts";

type Deps = Omit<RunnerDeps, "remainingMs"> & { log: Log };

/** Run doorbells: one runner for each ticket. */
export function createHandler(deps: Deps): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  return (event, context) => {
    const runner = { ...deps, remainingMs: () => context.getRemainingTimeInMillis() };
    return batchHandler(deps, RunBell, async (bell) => {
      const outcome = await runTicket(runner, bell);
      deps.log.info("ticket", { runId: bell.runId, epoch: bell.epoch, outcome });
    })(event);
  };
}

export const handler = wired(createHandler, (wiring) => {
  const { memos, catalog, workflows } = libraryOf(wiring);
  const search = createSearch({ memos, catalog, clock: wiring.clock });
  return {
    clock: wiring.clock,
    ids: wiring.ids,
    log: wiring.log,
    ticker: timerTicker,
    random: unitRandom,
    queue: queueOf(wiring),
    runs: runsOf(wiring),
    memos,
    doorbells: doorbellsOf(wiring),
    model: createModels(optionalEnv(ENV.config) ?? ""),
    dispatchers: { memo: createMemoDispatcher({ memos, clock: wiring.clock }) },
    compile: async (ownerUid: string, workflowId: string) =>
      (await workflows.byId(ownerUid, workflowId))?.compiled,
    searchNotes: (ownerUid: string, query: string, limits: { top: number; maxTokens?: number }) =>
      search.searchMemos(ownerUid, query, { ...limits, memoType: "note" }),
    gateMemoIds: (ownerUid: string) => workflows.gateMemoIds(ownerUid),
  };
});
