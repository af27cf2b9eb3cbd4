import type { QueueStore } from "../queue/store.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import { laneOf, type RunIn } from "./run.ts";
import { freeLaneSlot } from "./settle.ts";
import type { RunStore } from "./store.ts";
import { suspend } from "./gate-writes.ts";

/**
 * H2, H3: the slot is freed, then the run enters the inbox. The gate is frozen already, so whoever does this
 * cannot free a slot of another run.
 */
export async function finishSuspend(
  deps: { queue: QueueStore; runs: RunStore; doorbells: Doorbells },
  run: RunIn<"suspending" | "suspended">,
): Promise<void> {
  const freed = await freeLaneSlot(deps.queue, laneOf(run), run.runId);
  await deps.runs.writeHead(run.runId, suspend(run.gate, run.ownerUid));
  if (freed.ready) await deps.doorbells.ringWake();
}
