import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Principal } from "../core/principal.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import type { QueueStore } from "../queue/store.ts";
import { isTerminal, type Run } from "./run.ts";
import { settle } from "./settle.ts";
import type { RunStore } from "./store.ts";
import { cancelRun } from "./writes.ts";

/** A heartbeat or a checkpoint may come between the read and the write; the epoch moves on far less often. */
const CANCEL_TRIES = 3;

/**
 * Ends a run of this owner as cancelled, in any state before the intent to dispatch. A run that is already
 * cancelled answers as it stands, so a repeat is safe.
 * @throws {AppError} run_not_found, run_not_cancellable
 */
export async function cancel(
  deps: { runs: RunStore; queue: QueueStore; doorbells: Doorbells; clock: Clock },
  runId: string,
  principal: Principal,
): Promise<Run> {
  const error = new AppError("run_not_found", `there is no run ${runId}`, { runId });
  for (let attempt = 0; attempt < CANCEL_TRIES; attempt++) {
    const run = await deps.runs.readHead(runId);
    if (!run || run.ownerUid !== principal.ownerUid) throw error;
    if (run.status === "cancelled") return run;
    if (run.status === "settling" && run.outcome === "cancelled") return finish(deps, run);
    if (isTerminal(run) || run.status === "settling" || run.intent) break;
    const at = deps.clock.now();
    const why = {
      code: "cancelled",
      class: "cancelled" as const,
      message: `cancelled by ${principal.username}`,
      hint: "",
      at,
    };
    const cancelled = await deps.runs.writeHead(runId, cancelRun(run.epoch, why, at));
    if (cancelled) return finish(deps, cancelled);
  }
  const run = await deps.runs.readHead(runId);
  if (run?.status === "cancelled") return run;
  const status = run?.intent && !isTerminal(run) ? "dispatching" : (run?.status ?? "unknown");
  throw new AppError("run_not_cancellable", `run ${runId} is ${status}`, { runId, runStatus: status });
}

async function finish(
  deps: { runs: RunStore; queue: QueueStore; doorbells: Doorbells; clock: Clock },
  run: Run,
): Promise<Run> {
  await settle(deps, run, "cancelled");
  return (await deps.runs.readHead(run.runId)) ?? run;
}
