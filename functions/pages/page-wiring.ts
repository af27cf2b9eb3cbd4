import { createAuditStore } from "../../lib/audit/store.ts";
import { createSearch } from "../../lib/memos/search.ts";
import { createVerdictLedger } from "../../lib/steward/store.ts";
import { BUNDLED_HASHES } from "../bundled-workflows.ts";
import { ENV } from "../env.ts";
import { libraryOf } from "../library-wiring.ts";
import { passesOf } from "../pass-record.ts";
import { previewDepsOf } from "../preview-wiring.ts";
import { noticesOf } from "../record-wiring.ts";
import { stewardDeps } from "../steward-wiring.ts";
import { enqueueDepsOf, loopsOf, spendOf } from "../tell-wiring.ts";
import type { Wiring } from "../wiring.ts";
import type { PageDeps } from "./page-deps.ts";

/** What decides and asks for work, and beside it what is only read to be shown. */
export function pageDepsOf(wiring: Wiring): PageDeps {
  const library = libraryOf(wiring, { sizes: true });
  return {
    ...stewardDeps(wiring),
    ...library,
    ...enqueueDepsOf(wiring, library),
    bundledHashes: BUNDLED_HASHES,
    passes: passesOf(wiring),
    audits: createAuditStore(wiring.doc, wiring.env(ENV.ledgerTable)),
    ledger: createVerdictLedger(wiring.doc, { ledger: wiring.env(ENV.ledgerTable) }),
    loops: loopsOf(wiring),
    spend: spendOf(wiring),
    notices: noticesOf(wiring),
    search: createSearch({ ...library, clock: wiring.clock }),
    preview: previewDepsOf(wiring, library),
  };
}
