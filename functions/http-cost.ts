import { createCatalog, type Catalog } from "../lib/memos/catalog.ts";
import { createMemoStore } from "../lib/memos/store.ts";
import { costOfSessions } from "../lib/runs/session-cost.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { CostQuery, costView, dearestFirst, spendReport } from "../lib/spend/cost-report.ts";
import { createSpendStore, type SpendStore } from "../lib/spend/store.ts";
import { ENV } from "./env.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { checked } from "./middleware/parse-body.ts";
import { route } from "./middleware/route.ts";
import { runsOf } from "./queue-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & { spend: SpendStore; runs: RunStore; catalog: Pick<Catalog, "workflows"> };

/** What calls of models cost, by workflow, day, session or model. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "GET /api/cost": route({
      scope: "runs:read",
      query: CostQuery,
      async run({ principal: { ownerUid }, query, at }) {
        const { by, since: days } = checked(CostQuery, query, "query");
        const spent = await spendReport(deps, ownerUid, { by: by === "session" ? "day" : by, days, at });
        const { from, to, pricesAsOf, total } = spent;
        const base = { by, from, to, pricesAsOf };
        if (by === "session") {
          const { lines, complete } = await costOfSessions(deps, ownerUid, Date.parse(from));
          // Of each session a head says whether a price was missing, not how often.
          const items = [...lines].sort(dearestFirst).map(([sessionId, sum]) => {
            const { unpricedCalls: _unknown, ...cost } = costView(sum);
            return { sessionId, ...cost };
          });
          return { status: 200, body: { ...base, complete: complete && spent.complete, items } };
        }
        const lines = [...spent.lines];
        if (by === "day") lines.sort(([a], [b]) => b.localeCompare(a));
        else lines.sort(dearestFirst);
        const titles = by === "workflow" ? await titlesOf(deps.catalog, ownerUid) : undefined;
        const items = lines.map(([key, sum]) => ({
          ...(by === "workflow" && { workflowId: key, title: titles?.get(key) ?? null }),
          ...(by === "day" && { day: key }),
          ...(by === "model" && { model: key }),
          ...costView(sum),
        }));
        return { status: 200, body: { ...base, complete: spent.complete, items, total: costView(total) } };
      },
    }),
  });
}

/** A workflow whose memo is gone has cost something all the same, and no title. */
async function titlesOf(catalog: Deps["catalog"], ownerUid: string): Promise<ReadonlyMap<string, string>> {
  const entries = await catalog.workflows(ownerUid);
  return new Map(entries.map(({ memoId, title }) => [memoId, title]));
}

export const handler = wired(createHandler, (wiring) => {
  const { doc, env, clock, log } = wiring;
  const memos = createMemoStore(doc, { memos: env(ENV.memosTable), control: env(ENV.controlTable) });
  return {
    clock,
    log,
    sessions: createSessionStore(doc, { sessions: env(ENV.sessionsTable) }),
    spend: createSpendStore(doc, { control: env(ENV.controlTable) }),
    runs: runsOf(wiring),
    catalog: createCatalog({ memos, clock }),
  };
});
