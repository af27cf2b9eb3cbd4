import type { Registered } from "../lib/core/registered.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { createStewardRegistry } from "../lib/steward/registry.ts";
import { createVerdictLedger } from "../lib/steward/store.ts";

import { BUNDLED } from "./bundled-workflows.ts";
import { ENV } from "./env.ts";
import type { libraryOf } from "./library-wiring.ts";
import { ownedWork } from "./owned-work.ts";
import { queuePressure } from "./pending-items.ts";
import { queueOf, runsOf } from "./queue-wiring.ts";
import type { Wiring } from "./wiring.ts";

/** What the session steward's steps call, over this deployment's tables. */
export function stewardRegistryOf(
  wiring: Wiring,
  { catalog }: Pick<ReturnType<typeof libraryOf>, "catalog">,
): Registered {
  const { doc, clock, env } = wiring;
  const queue = queueOf(wiring);
  const workflowIds = async (ownerUid: string) => [
    ...BUNDLED.map(({ workflowId }) => workflowId),
    ...(await catalog.workflows(ownerUid)).map(({ memoId }) => memoId),
  ];
  return createStewardRegistry({
    sessions: createSessionStore(doc, { sessions: env(ENV.sessionsTable) }),
    ledger: createVerdictLedger(doc, { ledger: env(ENV.ledgerTable) }),
    clock,
    ownedWork: ownedWork({ runs: runsOf(wiring), queue, workflowIds }),
    queuePressure: queuePressure({ queue, workflowIds, clock }),
    // No role has a model of its own here: the judge's step names one.
    modelRoles: () => ({}),
  });
}
