import { AppError } from "../core/errors.ts";
import { SECOND_MS } from "../core/duration.ts";
import type { ModelReply, ModelRequest } from "../model/model.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { heartbeat } from "./writes.ts";

/** How often a runner shows that it lives, inside a model call too; far below STUCK_RUN_MS. */
export const HEARTBEAT_MS = 30 * SECOND_MS;

/**
 * One model call with a heartbeat. It is aborted when its time is over (`step_timeout`) and when a heartbeat is
 * refused, since somebody else has the run then (`lease_lost`).
 */
export async function callModel(
  deps: Pick<RunnerDeps, "model" | "runs" | "clock" | "ticker">,
  run: Run,
  request: Omit<ModelRequest, "signal">,
  timeoutMs: number,
): Promise<ModelReply> {
  const abort = new AbortController();
  const { runId, epoch } = run;
  let beating = false;
  const beat = async () => {
    if (beating) return;
    beating = true;
    try {
      if (await deps.runs.writeHead(runId, heartbeat(epoch, deps.clock.now()))) return;
      const head = await deps.runs.readHead(runId);
      // A refused heartbeat may be a late one; the epoch and the status say whose run it is.
      if (head?.epoch === epoch && head.status === "running") return;
      abort.abort(new AppError("lease_lost", `run ${runId} was taken at epoch ${epoch}`, { runId, epoch }));
    } catch {
      // A store that does not answer costs this beat: the next one, or the step's own write, finds out.
    } finally {
      beating = false;
    }
  };
  const stopBeating = deps.ticker(HEARTBEAT_MS, () => void beat());
  const stopWaiting = deps.ticker(timeoutMs, () => {
    const message = `step ${request.stepId} took longer than ${timeoutMs} ms`;
    abort.abort(new AppError("step_timeout", message, { stepId: request.stepId, timeoutMs }));
  });
  try {
    return await Promise.race([deps.model({ ...request, signal: abort.signal }), aborted(abort.signal)]);
  } finally {
    stopBeating();
    stopWaiting();
  }
}

/** A provider that does not honour the signal must not keep a runner whose lease is gone. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
