import { createAuditStore } from "../../lib/audit/store.ts";
import { createSearch } from "../../lib/memos/search.ts";
import { createSpendStore } from "../../lib/spend/store.ts";
import { BUNDLED_HASHES } from "../bundled-workflows.ts";
import { ENV } from "../env.ts";
import { libraryOf } from "../library-wiring.ts";
import { passesOf } from "../pass-record.ts";
import { previewDepsOf } from "../preview-wiring.ts";
import { queueOf } from "../queue-wiring.ts";
import { noticesOf } from "../record-wiring.ts";
import { stewardDeps } from "../steward-wiring.ts";
import type { Wiring } from "../wiring.ts";
import type { PageDeps } from "./page-deps.ts";

/** What decides, and beside it what is only read to be shown. */
export function pageDepsOf(wiring: Wiring): PageDeps {
  const library = libraryOf(wiring, { sizes: true });
  return {
    ...stewardDeps(wiring),
    ...library,
    bundledHashes: BUNDLED_HASHES,
    queue: queueOf(wiring),
    passes: passesOf(wiring),
    audits: createAuditStore(wiring.doc, wiring.env(ENV.ledgerTable)),
    notices: noticesOf(wiring),
    spend: createSpendStore(wiring.doc, { control: wiring.env(ENV.controlTable) }),
    search: createSearch({ ...library, clock: wiring.clock }),
    preview: previewDepsOf(wiring, library),
  };
}
