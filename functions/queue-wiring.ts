import { createDoorbells } from "../lib/queue/doorbell-adapter.ts";
import type { Doorbells } from "../lib/queue/doorbell.ts";
import { createQueueStore, type QueueStore } from "../lib/queue/store.ts";
import { createRunStore, type RunStore } from "../lib/runs/store.ts";
import { ENV, optionalEnv } from "./env.ts";
import { sqsClient, type Wiring } from "./wiring.ts";

/** Items and lanes. */
export const queueOf = ({ doc, env }: Wiring): QueueStore =>
  createQueueStore(doc, { queue: env(ENV.queueTable), lanes: env(ENV.lanesTable) });

/** Runs. */
export const runsOf = ({ doc, env }: Wiring): RunStore => createRunStore(doc, env(ENV.runsTable));

/** The bells that this function may ring, by the addresses it was given. */
export function doorbellsOf({ log }: Wiring): Doorbells {
  const wake = optionalEnv(ENV.wakeQueueUrl);
  const run = optionalEnv(ENV.runQueueUrl);
  return createDoorbells(sqsClient(), { ...(wake && { wake }), ...(run && { run }) }, (queue, reason) =>
    log.warn("doorbell lost", { queue, reason }),
  );
}
