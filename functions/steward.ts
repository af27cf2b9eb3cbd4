import * as z from "zod";
import type { Ids } from "../lib/core/ids.ts";
import type { Doorbells } from "../lib/queue/doorbell.ts";
import { decide, VERDICTS } from "../lib/runs/decide.ts";
import { runSummary } from "../lib/runs/run-view.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { ENV } from "./env.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { route } from "./middleware/route.ts";
import { doorbellsOf, runsOf } from "./queue-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & { runs: RunStore; doorbells: Doorbells; ids: Ids };

const DecisionBody = z.strictObject({
  verdict: z.enum(VERDICTS),
  sha256: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'expected the hold\'s "sha256:" and 64 hexadecimal digits'),
  reason: z.string().max(2000).optional(),
  decisionId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,80}$/, "expected 1 to 80 letters, digits, _ or -")
    .optional(),
});

/** The admin function: the only one that writes decisions. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "POST /api/holds/{id}/decision": route({
      scope: "holds:decide",
      body: DecisionBody,
      async run({ principal, params, body }) {
        const holdId = params["id"] ?? "";
        const { run, decision } = await decide(deps, holdId, principal, body);
        return { status: 200, body: { holdId, decision, run: runSummary(run) } };
      },
    }),
  });
}

export const handler = wired(createHandler, (wiring) => ({
  clock: wiring.clock,
  ids: wiring.ids,
  log: wiring.log,
  sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
  runs: runsOf(wiring),
  doorbells: doorbellsOf(wiring),
}));
