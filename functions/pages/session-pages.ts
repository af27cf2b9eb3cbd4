import { Sessions } from "../../lib/pages/sessions.tsx";
import { SessionPage } from "../../lib/pages/session.tsx";
import { ownSession } from "../../lib/sessions/create.ts";
import { SessionPlace } from "../../lib/sessions/store.ts";
import { readTimeline, TimelinePlace } from "../../lib/sessions/timeline.ts";
import { sessionRuns } from "../session-runs.ts";
import type { PageDeps } from "./page-deps.ts";
import { page, type PagesApp } from "./page.ts";
import { runsOfOne } from "./session-cost.ts";
import { workflowNames } from "./workflow-names.ts";

/** Sessions and what they asked for. */
export function sessionPages(app: PagesApp, deps: PageDeps): void {
  const runsOfSession = sessionRuns(deps.runs);

  page(app, "/steward/sessions", {
    scope: "runs:read",
    title: () => "Sessions",
    async read({ principal, paging }) {
      const wanted = { limit: paging.limit({ max: 50, standard: 50 }), after: paging.after(SessionPlace) };
      const { items, next } = await deps.sessions.listOwned(principal.ownerUid, wanted);
      return paging.page(items, next);
    },
    view: Sessions,
  });

  page(app, "/steward/sessions/:id", {
    scope: "runs:read",
    title: ({ session }) => session.name,
    async read({ principal: { ownerUid }, params, paging }) {
      const session = await ownSession(deps, ownerUid, params["id"] ?? "");
      const { sessionId } = session;
      const limit = paging.limit({ max: 100, standard: 50 });
      const before = paging.after(TimelinePlace);
      const [heartbeat, timeline, runs, nameOf] = await Promise.all([
        deps.sessions.readHeartbeat(sessionId),
        readTimeline({ ...deps, runsOfSession }, { sessionId, limit, before }),
        // What it cost stands on the first page of what happened in it.
        before === null ? runsOfOne(deps, ownerUid, sessionId) : null,
        workflowNames(deps, ownerUid),
      ]);
      const named = runs && {
        ...runs,
        items: runs.items.map((run) => ({ ...run, workflow: nameOf(run.workflowId) })),
      };
      const entries = timeline.items.map((entry) =>
        entry.kind === "run"
          ? { ...entry, run: { ...entry.run, workflow: nameOf(String(entry.run["workflowId"])) } }
          : entry,
      );
      return {
        session: { ...session, heartbeat: heartbeat ?? null },
        runs: named,
        ...paging.page(entries, timeline.next),
      };
    },
    view: SessionPage,
  });
}
