import type { ConditionalWrite } from "../core/conditional-write.ts";
import { AppError } from "../core/errors.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import type { RunStore } from "./store.ts";
import { heartbeat } from "./writes.ts";

/**
 * One write of a runner under its fence: the head after it. When the condition fails the head is read again,
 * since the SDK repeats a write whose answer was lost and the repeat fails against its own success.
 * @throws {AppError} lease_lost when the write is not ours
 */
export async function fencedWrite(
  runs: RunStore,
  run: Run,
  write: ConditionalWrite,
  isOurs: (head: Run) => boolean,
): Promise<Run> {
  const written = await runs.writeHead(run.runId, write);
  if (written) return written;
  const head = await runs.readHead(run.runId);
  if (head && isOurs(head)) return head;
  throw new AppError("lease_lost", `${write.name} of ${run.runId} was refused at epoch ${run.epoch}`, {
    runId: run.runId,
    epoch: run.epoch,
  });
}

/**
 * A runner that has lost its lease must not go on working, element after element.
 * @throws {AppError} lease_lost
 */
export const stillOurs = (deps: Pick<RunnerDeps, "runs" | "clock">, run: Run): Promise<Run> =>
  fencedWrite(deps.runs, run, heartbeat(run.epoch, deps.clock.now()), (head) => {
    return head.epoch === run.epoch && head.status === "running";
  });
