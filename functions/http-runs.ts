import { AppError } from "../lib/core/errors.ts";
import type { Doorbells } from "../lib/queue/doorbell.ts";
import type { QueueStore } from "../lib/queue/store.ts";
import { createMemoStore } from "../lib/memos/store.ts";
import type { CurrentDeps } from "../lib/runs/current-hash.ts";
import { cancel, cancelItem } from "../lib/runs/cancel.ts";
import { listRuns, RunPlace, RunFilter } from "../lib/runs/list-runs.ts";
import { runRecord, runSummary } from "../lib/runs/run-view.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { BUNDLED_HASHES } from "./bundled-workflows.ts";
import { ENV } from "./env.ts";
import { guardsOf } from "./guard-wiring.ts";
import { againRoutes, type AgainDeps } from "./http-runs-again.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { checked } from "./middleware/parse-body.ts";
import { route } from "./middleware/route.ts";
import { doorbellsOf, queueOf, runsOf } from "./queue-wiring.ts";
import { auditOf } from "./record-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & AgainDeps & { runs: RunStore; queue: QueueStore; doorbells: Doorbells } & CurrentDeps;

/** Runs: what each did, step by step, and the way to stop one. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "GET /api/runs": route({
      scope: "runs:read",
      query: RunFilter,
      async run({ principal, query: { limit: _limit, cursor: _cursor, ...rest }, paging }) {
        const filter = checked(RunFilter, rest, "query");
        const limit = paging.limit({ max: 100, standard: 25 });
        const after = paging.after(RunPlace);
        const { runs, next } = await listRuns(deps, principal.ownerUid, { filter, limit, after });
        return { status: 200, body: paging.page(runs.map(runSummary), next) };
      },
    }),
    "GET /api/runs/{id}": route({
      scope: "runs:read",
      async run({ principal, params }) {
        const runId = params["id"] ?? "";
        const run = await deps.runs.readHead(runId);
        if (!run || run.ownerUid !== principal.ownerUid) {
          throw new AppError("run_not_found", `there is no run ${runId}`, { runId });
        }
        return { status: 200, body: await runRecord(deps, run) };
      },
    }),
    "POST /api/runs/{id}/cancel": route({
      scope: "runs:cancel",
      async run({ principal, session, params }) {
        const run = await cancel(deps, params["id"] ?? "", principal, session);
        return { status: 200, body: runSummary(run) };
      },
    }),
    ...againRoutes(deps),
    "POST /api/items/{id}/cancel": route({
      scope: "runs:cancel",
      async run({ principal, session, params }) {
        const run = await cancelItem(deps, params["id"] ?? "", principal, session);
        return { status: 200, body: runSummary(run) };
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
  runs: runsOf(wiring),
  queue: queueOf(wiring),
  memos: createMemoStore(wiring.doc, { memos: wiring.env(ENV.memosTable), control: "" }),
  doorbells: doorbellsOf(wiring),
  audit: auditOf(wiring),
  bundledHashes: BUNDLED_HASHES,
}));
