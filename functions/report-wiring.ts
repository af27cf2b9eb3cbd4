import { createSessionStore } from "../lib/sessions/store.ts";
import { createVerdictLedger } from "../lib/steward/store.ts";
import { ENV } from "./env.ts";
import { guardsOf } from "./guard-wiring.ts";
import { libraryOf } from "./library-wiring.ts";
import { runsOf } from "./queue-wiring.ts";
import { auditOf } from "./record-wiring.ts";
import { loopsOf } from "./tell-wiring.ts";
import type { Wiring } from "./wiring.ts";

/** What reports are read from, and what a person's word about them is written to. */
export const reportDepsOf = (wiring: Wiring) => ({
  ...guardsOf(wiring),
  clock: wiring.clock,
  log: wiring.log,
  sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
  runs: runsOf(wiring),
  ledger: createVerdictLedger(wiring.doc, { ledger: wiring.env(ENV.ledgerTable) }),
  loops: loopsOf(wiring),
  workflows: libraryOf(wiring).workflows,
  audit: auditOf(wiring),
});
