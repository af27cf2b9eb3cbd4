import type { Clock } from "../core/clock.ts";
import { MINUTE_MS } from "../core/duration.ts";
import type { FoundWorkflow } from "../intake/workflow-library.ts";
import { nextSlot } from "./schedule.ts";
import type { LoopStore } from "./store.ts";

/**
 * Makes the rows of a workflow's schedules what its memo says: new and changed ones begin now, unchanged ones keep
 * their next slot. One that is shipped switched off has a row only when somebody has switched it on: it keeps what
 * it has, and is begun when it is `wanted`. Without a workflow all go; one that does not compile keeps what it had.
 * Safe to repeat.
 */
export async function syncSchedules(
  deps: { loops: LoopStore; clock: Clock },
  ownerUid: string,
  workflowId: string,
  found: FoundWorkflow | undefined,
  { paused = "as they are" }: { paused?: "as they are" | "wanted" } = {},
): Promise<void> {
  if (found && !found.compiled.ok) return;
  const at = deps.clock.now();
  const wanted = found?.compiled.ok ? schedulesOf(found.compiled.manifest) : [];
  const known = new Map((await deps.loops.schedulesOf(ownerUid, workflowId)).map((row) => [row.sk, row]));
  for (const [index, { expression, timeZone, paused: isShippedPaused }] of wanted.entries()) {
    const sk = String(index);
    const row = known.get(sk);
    known.delete(sk);
    if (isShippedPaused && !row && paused !== "wanted") continue;
    if (row?.expression === expression && row.timeZone === timeZone) continue;
    const schedule = { expression, timeZone, anchorAt: Math.floor(at / MINUTE_MS) * MINUTE_MS };
    const nextAt = nextSlot(schedule, at);
    await deps.loops.putSchedule({
      sk,
      owner: ownerUid,
      workflowId,
      ...schedule,
      ...(nextAt !== null && { nextAt }),
    });
  }
  for (const row of known.values()) await deps.loops.remove(row);
}

type CompiledManifest = Extract<FoundWorkflow["compiled"], { ok: true }>["manifest"];

/** The schedules of a workflow, in the order of its memo. */
export const schedulesOf = (manifest: CompiledManifest) =>
  manifest.trigger.invoke.filter((way) => way.kind === "schedule");
