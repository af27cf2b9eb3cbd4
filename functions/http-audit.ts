import * as z from "zod";
import { createAuditStore, AuditPlace, type AuditStore } from "../lib/audit/store.ts";
import { AppError } from "../lib/core/errors.ts";
import { momentOf } from "../lib/core/moment.ts";
import { readAudit } from "../lib/runs/audit-view.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { ENV } from "./env.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { checked } from "./middleware/parse-body.ts";
import { route } from "./middleware/route.ts";
import { runsOf } from "./queue-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & { audits: AuditStore; runs: RunStore };

const AuditQuery = z.object({ query: z.object({ since: z.string().max(40).optional() }) });

/** When the record is to begin; without it, at its beginning. @throws {AppError} invalid_request */
function sinceOf(query: Record<string, string>, at: number): number {
  const { since } = checked(AuditQuery, { query }, "query").query;
  const moment = since === undefined ? 0 : momentOf(since, at, "back");
  if (moment !== undefined) return Math.max(0, moment);
  const message = 'is neither a day or time such as "2027-01-31" nor a duration such as "7d"';
  throw new AppError("invalid_request", `query since ${message}`, {
    failing: [{ pointer: "/query/since", message }],
  });
}

/** The record of what was asked for, by whom, and what was refused. It is read here and changed nowhere. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "GET /api/audit": route({
      // A scope of people: an agent needs the record for nothing, and it says who may decide what, and who was refused.
      scope: "holds:decide",
      query: AuditQuery.shape.query,
      async run({ principal, query, paging, at }) {
        const since = sinceOf(query, at);
        const limit = paging.limit({ max: 100, standard: 50 });
        const page = { since, limit, after: paging.after(AuditPlace) };
        const { items, next } = await readAudit(deps, principal.ownerUid, page);
        return { status: 200, body: paging.page(items, next) };
      },
    }),
  });
}

export const handler = wired(createHandler, (wiring) => ({
  clock: wiring.clock,
  log: wiring.log,
  sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
  audits: createAuditStore(wiring.doc, wiring.env(ENV.ledgerTable)),
  runs: runsOf(wiring),
}));
