import { AppError } from "../core/errors.ts";
import { SECOND_MS } from "../core/duration.ts";
import type { ModelReply, ModelRequest } from "../model/model.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { heartbeat } from "./writes.ts";

/** How often a runner shows that it lives, inside a model call too; far below STUCK_RUN_MS. */
export const HEARTBEAT_MS = 30 * SECOND_MS;

/** One model call with a heartbeat. */
export const callModel = (
  deps: Pick<RunnerDeps, "model" | "runs" | "clock" | "ticker">,
  run: Run,
  request: Omit<ModelRequest, "signal">,
  timeoutMs: number,
): Promise<ModelReply> =>
  withHeartbeat(deps, run, { stepId: request.stepId, timeoutMs }, (signal) =>
    deps.model({ ...request, signal }),
  );

/**
 * Work that may take long, with a heartbeat. It is aborted when its time is over (`step_timeout`) and when a
 * heartbeat is refused, since somebody else has the run then (`lease_lost`).
 */
export async function withHeartbeat<T>(
  deps: Pick<RunnerDeps, "runs" | "clock" | "ticker">,
  run: Run,
  { stepId, timeoutMs }: { stepId: string; timeoutMs: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
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
    const message = `step ${stepId} took longer than ${timeoutMs} ms`;
    abort.abort(new AppError("step_timeout", message, { stepId, timeoutMs }));
  });
  try {
    return await Promise.race([work(abort.signal), aborted(abort.signal)]);
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
