import type { EnqueueDeps } from "../lib/intake/enqueue-item.ts";
import { createListeners } from "../lib/intake/listeners.ts";
import type { TellDeps } from "../lib/intake/save-memo.ts";
import { createLoopStore, type LoopStore } from "../lib/loops/store.ts";
import { syncSchedules } from "../lib/loops/sync.ts";
import { createSpendStore, type SpendStore } from "../lib/spend/store.ts";
import { parseConfig } from "../lib/model/config.ts";
import { ENV, optionalEnv } from "./env.ts";
import { wakeWaitingLane } from "./http-memos-lanes.ts";
import type { libraryOf } from "./library-wiring.ts";
import { doorbellsOf, queueOf } from "./queue-wiring.ts";
import type { Wiring } from "./wiring.ts";

type Library = ReturnType<typeof libraryOf>;

/** What workflows have spent. */
export const spendOf = ({ doc, env }: Wiring): SpendStore =>
  createSpendStore(doc, { control: env(ENV.controlTable) });

/** What an owner's workflows may spend on a day together; null is no limit. */
export const libraryUsdPerDay = (): number | null =>
  parseConfig(optionalEnv(ENV.config) ?? "").limits.libraryUsdPerDay ?? null;

/** Schedules, and waits that end by themselves. */
export const loopsOf = ({ doc, env }: Wiring): LoopStore =>
  createLoopStore(doc, { control: env(ENV.controlTable) });

/** What putting an item in its lane works with. */
export const enqueueDepsOf = (wiring: Wiring, { workflows }: Library): EnqueueDeps => ({
  clock: wiring.clock,
  ids: wiring.ids,
  workflows,
  queue: queueOf(wiring),
  doorbells: doorbellsOf(wiring),
  spend: spendOf(wiring),
  libraryUsdPerDay: libraryUsdPerDay(),
});

/** What telling of a memo's change works with: tags start workflows, a workflow's lane and schedules follow it. */
export function tellDepsOf(wiring: Wiring, library: Library): TellDeps {
  const { memos, catalog, workflows } = library;
  const deps = enqueueDepsOf(wiring, library);
  const followLane = wakeWaitingLane(deps);
  const loops = loopsOf(wiring);
  return {
    ...deps,
    memos,
    listeners: createListeners({ memos, catalog }),
    async workflowSaved(ownerUid, workflowId) {
      const found = await workflows.byId(ownerUid, workflowId);
      if (found) await followLane(found.memo);
      await syncSchedules({ loops, clock: wiring.clock }, ownerUid, workflowId, found);
    },
  };
}
