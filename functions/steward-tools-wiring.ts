import { createSessionStore } from "../lib/sessions/store.ts";
import { createVerdictLedger } from "../lib/steward/store.ts";
import type { StewardPorts } from "../lib/steward/tools/ports.ts";
import { BUNDLED } from "./bundled-workflows.ts";
import { ENV } from "./env.ts";
import type { libraryOf } from "./library-wiring.ts";
import { ownedWork } from "./owned-work.ts";
import { queuePressure } from "./pending-items.ts";
import { queueOf, runsOf } from "./queue-wiring.ts";
import type { Wiring } from "./wiring.ts";

/** What the session steward works with, over this deployment's tables. */
export function stewardPortsOf(
  wiring: Wiring,
  { catalog }: Pick<ReturnType<typeof libraryOf>, "catalog">,
): StewardPorts {
  const { doc, clock, env } = wiring;
  const queue = queueOf(wiring);
  const workflowIds = async (ownerUid: string) => [
    ...BUNDLED.map(({ workflowId }) => workflowId),
    ...(await catalog.workflows(ownerUid)).map(({ memoId }) => memoId),
  ];
  return {
    sessions: createSessionStore(doc, { sessions: env(ENV.sessionsTable) }),
    ledger: createVerdictLedger(doc, { ledger: env(ENV.ledgerTable) }),
    clock,
    ownedWork: ownedWork({ runs: runsOf(wiring), queue, workflowIds }),
    queuePressure: queuePressure({ queue, workflowIds, clock }),
    // No role has a model of its own here: the judge's step names one.
    modelRoles: () => ({}),
  };
}
