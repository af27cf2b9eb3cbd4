import type { PassReport } from "../lib/runs/pass-report.ts";
import { pass } from "../lib/runs/pass.ts";
import type { Log } from "./middleware/log.ts";
import { scheduledHandler } from "./middleware/scheduled.ts";
import { passDepsOf } from "./pass-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = Parameters<typeof pass>[0] & { log: Log };

/** One round of pass, by the five-minute rule. */
export function createHandler(deps: Deps): () => Promise<PassReport> {
  return scheduledHandler("pass", { log: deps.log, round: () => pass(deps) });
}

export const handler = wired(createHandler, (wiring) => ({ ...passDepsOf(wiring), log: wiring.log }));
