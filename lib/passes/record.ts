import type { Clock } from "../core/clock.ts";
import type { Ids } from "../core/ids.ts";
import type { PassReport } from "../runs/pass-report.ts";
import type { PassStore } from "./store.ts";

/** Whether a round changed anything. What still waits is no deed, and neither is the time it took. */
export function hasDoneSomething({ pending: _pending, ms: _ms, skipped, ...counts }: PassReport): boolean {
  return Object.keys(skipped).length > 0 || Object.values(counts).some((count) => count > 0);
}

/** Keeps the report of a round that did something; an idle one writes nothing. */
export async function recordPass(
  deps: { passes: Pick<PassStore, "put">; clock: Clock; ids: Ids },
  round: string,
  report: PassReport,
): Promise<void> {
  if (!hasDoneSomething(report)) return;
  await deps.passes.put({ ...report, passId: deps.ids("pass"), round, at: deps.clock.now() });
}
