import { ENV } from "./env.ts";
import { guardsOf } from "./guard-wiring.ts";
import type { Ids } from "../lib/core/ids.ts";
import { createSession, NewSession, ownSession } from "../lib/sessions/create.ts";
import { endSession, SessionEnd } from "../lib/sessions/end.ts";
import { HeartbeatReport } from "../lib/sessions/heartbeat.ts";
import { reportHeartbeat } from "../lib/sessions/report-heartbeat.ts";
import { createSessionStore, SessionPlace, type SessionStore } from "../lib/sessions/store.ts";
import { readTimeline, TimelinePlace, type RunsOfSession } from "../lib/sessions/timeline.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { route } from "./middleware/route.ts";
import { runsOf } from "./queue-wiring.ts";
import { sessionRuns } from "./session-runs.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & { ids: Ids; sessions: SessionStore; runsOfSession: RunsOfSession };

/** Sessions over HTTP. Another owner's session is answered as an unknown one. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "POST /api/internal/sessions": route({
      scope: "sessions:write",
      body: NewSession,
      repeats: {},
      async run({ principal, body }) {
        return { status: 201, body: await createSession(deps, { principal, ...body }) };
      },
    }),
    "GET /api/internal/sessions": route({
      scope: "runs:read",
      async run({ principal, paging }) {
        const page = { limit: paging.limit({ max: 50, standard: 25 }), after: paging.after(SessionPlace) };
        const { items, next } = await deps.sessions.listOwned(principal.ownerUid, page);
        return { status: 200, body: paging.page(items, next) };
      },
    }),
    "GET /api/internal/sessions/{id}": route({
      scope: "runs:read",
      async run({ principal, params }) {
        const session = await ownSession(deps, principal.ownerUid, params["id"] ?? "");
        const heartbeat = (await deps.sessions.readHeartbeat(session.sessionId)) ?? null;
        return { status: 200, body: { ...session, heartbeat } };
      },
    }),
    "GET /api/internal/sessions/{id}/timeline": route({
      scope: "runs:read",
      async run({ principal, params, paging }) {
        const { sessionId } = await ownSession(deps, principal.ownerUid, params["id"] ?? "");
        const page = { limit: paging.limit({ max: 100, standard: 50 }), before: paging.after(TimelinePlace) };
        const { items, next } = await readTimeline(deps, { sessionId, ...page });
        return { status: 200, body: paging.page(items, next) };
      },
    }),
    "POST /api/internal/sessions/{id}/heartbeat": route({
      scope: "sessions:write",
      body: HeartbeatReport,
      async run({ principal, params, body: report }) {
        const beat = { principal, sessionId: params["id"] ?? "", report };
        return { status: 200, body: await reportHeartbeat(deps, beat) };
      },
    }),
    "POST /api/internal/sessions/{id}/end": route({
      scope: "sessions:write",
      body: SessionEnd.optional(),
      async run({ principal, params, body }) {
        const end = { principal, sessionId: params["id"] ?? "", ...body };
        return { status: 200, body: await endSession(deps, end) };
      },
    }),
  });
}

export const handler = wired(createHandler, (wiring) => ({
  ...guardsOf(wiring),
  clock: wiring.clock,
  ids: wiring.ids,
  log: wiring.log,
  sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
  runsOfSession: sessionRuns(runsOf(wiring)),
}));
