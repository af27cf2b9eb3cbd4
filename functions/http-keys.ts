import * as z from "zod";
import { createKey, NewKey, revokeKey } from "../lib/api-keys/manage.ts";
import { shownKey } from "../lib/api-keys/key-record.ts";
import type { PepperSource } from "../lib/api-keys/pepper.ts";
import { createKeyStore, KeyPlace, type KeyStore } from "../lib/api-keys/store.ts";
import type { Audit } from "../lib/audit/note.ts";
import { randomSecret, type Ids } from "../lib/core/ids.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { guardsOf } from "./guard-wiring.ts";
import { ENV } from "./env.ts";
import { peppersFrom, readPeppers } from "./key-wiring.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { checked } from "./middleware/parse-body.ts";
import { route } from "./middleware/route.ts";
import { auditOf } from "./record-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & {
  audit: Audit;
  ids: Ids;
  secret: () => string;
  keys: KeyStore;
  peppers: PepperSource;
};

const RevokeQuery = z.object({ query: z.object({ self: z.enum(["0", "1"]).default("0") }) });

/** Keys of the caller's owner, for people only. Another owner's key is answered as an unknown one. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "POST /api/keys": route({
      scope: "keys:admin",
      body: NewKey,
      // The key is shown once: a repeat is told which key was made, and not the key.
      repeats: { kept: (made: { key: string }) => ({ ...made, key: null }) },
      async run({ principal, session: sessionId, body }) {
        return { status: 201, body: await createKey(deps, { principal, sessionId }, body) };
      },
    }),
    "GET /api/keys": route({
      scope: "keys:admin",
      async run({ principal, paging }) {
        const limit = paging.limit({ max: 100, standard: 50 });
        const { items, next } = await deps.keys.keysOf(principal.ownerUid, {
          limit,
          after: paging.after(KeyPlace),
        });
        return { status: 200, body: paging.page(items.map(shownKey), next) };
      },
    }),
    "DELETE /api/keys/{id}": route({
      scope: "keys:admin",
      query: RevokeQuery.shape.query,
      async run({ principal, session: sessionId, params, query }) {
        const { self } = checked(RevokeQuery, { query }, "query").query;
        const target = { keyId: params["id"] ?? "", self: self === "1" };
        return { status: 200, body: await revokeKey(deps, { principal, sessionId }, target) };
      },
    }),
  });
}

export const handler = wired(createHandler, (wiring) => ({
  ...guardsOf(wiring),
  clock: wiring.clock,
  ids: wiring.ids,
  log: wiring.log,
  secret: randomSecret,
  sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
  audit: auditOf(wiring),
  keys: createKeyStore(wiring.doc, { control: wiring.env(ENV.controlTable) }),
  peppers: peppersFrom(readPeppers, wiring.clock),
}));
