import { createKeyStore } from "../lib/api-keys/store.ts";
import { randomSecret } from "../lib/core/ids.ts";
import { hasMemo } from "../lib/memos/read.ts";
import { createPageSessionStore } from "../lib/page-sessions/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { ENV } from "./env.ts";
import { guardsOf } from "./guard-wiring.ts";
import { libraryOf } from "./library-wiring.ts";
import { doorbellsOf, runsOf } from "./queue-wiring.ts";
import { auditOf, snoozesOf } from "./record-wiring.ts";
import type { Wiring } from "./wiring.ts";

/** What the admin function decides with, and shows on its pages. */
export function stewardDeps(wiring: Wiring) {
  const { memos, catalog, workflows } = libraryOf(wiring);
  const control = { control: wiring.env(ENV.controlTable) };
  return {
    ...guardsOf(wiring),
    clock: wiring.clock,
    ids: wiring.ids,
    log: wiring.log,
    secret: randomSecret,
    sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
    keys: createKeyStore(wiring.doc, control),
    pageSessions: createPageSessionStore(wiring.doc, control),
    runs: runsOf(wiring),
    memos,
    catalog,
    workflows,
    hasMemo: (ownerUid: string, ref: string) => hasMemo({ memos, catalog }, ownerUid, ref),
    gateMemoIds: (ownerUid: string) => workflows.gateMemoIds(ownerUid),
    doorbells: doorbellsOf(wiring),
    snoozes: snoozesOf(wiring),
    audit: auditOf(wiring),
  };
}
