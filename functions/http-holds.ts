import * as z from "zod";
import { namedWorkflowId } from "../lib/intake/named-workflow.ts";
import { createCommands, type Commands } from "../lib/intake/commands.ts";
import { createCatalog } from "../lib/memos/catalog.ts";
import { createMemoStore, type MemoStore } from "../lib/memos/store.ts";
import { readHold } from "../lib/runs/hold-view.ts";
import { AgePlace, ExpiryPlace, HOLD_STATES, listHolds, listHoldsByExpiry } from "../lib/runs/list-holds.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import type { SnoozeStore } from "../lib/snoozes/store.ts";
import { BUNDLED } from "./bundled-workflows.ts";
import { ENV } from "./env.ts";
import { guardsOf } from "./guard-wiring.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { checked } from "./middleware/parse-body.ts";
import { route } from "./middleware/route.ts";
import { runsOf } from "./queue-wiring.ts";
import { snoozesOf } from "./record-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & {
  runs: RunStore;
  memos: MemoStore;
  snoozes: SnoozeStore;
  workflows: Pick<Commands, "idOf">;
};

const HoldsQuery = z.object({
  query: z.object({
    state: z.enum(HOLD_STATES).default("open"),
    workflow: z.string().min(1).max(200).optional(),
    sort: z.enum(["age", "expiry"]).default("age"),
  }),
});

/** What waits for a person, and exactly what each would write. Reading decides nothing. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "GET /api/holds": route({
      scope: "holds:read",
      query: HoldsQuery.shape.query,
      async run({ principal: { ownerUid, principalId }, query, paging, at }) {
        const { state, workflow, sort } = checked(HoldsQuery, { query }, "query").query;
        const limit = paging.limit({ max: 100, standard: 25 });
        const hidden = await deps.snoozes.hidden(ownerUid, principalId, at);
        const workflowId =
          workflow === undefined ? undefined : await namedWorkflowId(deps, ownerUid, workflow);
        const wanted = { state, hidden, workflowId, limit };
        const { items, next } =
          sort === "age"
            ? await listHolds(deps, ownerUid, { ...wanted, after: paging.after(AgePlace) })
            : await listHoldsByExpiry(deps, ownerUid, { ...wanted, after: paging.after(ExpiryPlace) });
        return { status: 200, body: paging.page(items, next) };
      },
    }),
    "GET /api/holds/{id}": route({
      scope: "holds:read",
      async run({ principal, params }) {
        return { status: 200, body: await readHold(deps, principal.ownerUid, params["id"] ?? "") };
      },
    }),
  });
}

export const handler = wired(createHandler, (wiring) => {
  const { clock, doc, env } = wiring;
  const memos = createMemoStore(doc, { memos: env(ENV.memosTable), control: env(ENV.controlTable) });
  return {
    ...guardsOf(wiring),
    clock: wiring.clock,
    log: wiring.log,
    sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
    runs: runsOf(wiring),
    snoozes: snoozesOf(wiring),
    memos,
    // By what the memos say of their commands: to find one by its name, nothing is compiled.
    workflows: createCommands({ memos, catalog: createCatalog({ memos, clock }), bundled: BUNDLED }),
  };
});
