import { createMemoStore, type MemoStore } from "../lib/memos/store.ts";
import { HoldPlace, listHolds, readHold } from "../lib/runs/hold-view.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { ENV } from "./env.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { decodeCursor, encodeCursor, limitOf } from "./middleware/paging.ts";
import { route } from "./middleware/route.ts";
import { runsOf } from "./queue-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & { runs: RunStore; memos: MemoStore };

/** What waits for a person, and exactly what each would write. Reading decides nothing. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "GET /api/holds": route({
      scope: "holds:read",
      async run({ principal, query }) {
        const limit = limitOf(query, { max: 100, standard: 25 });
        const after = decodeCursor(HoldPlace, query["cursor"]);
        const { items, next } = await listHolds(deps, principal.ownerUid, { limit, after });
        return { status: 200, body: { items, nextCursor: next && encodeCursor(next) } };
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

export const handler = wired(createHandler, (wiring) => ({
  clock: wiring.clock,
  log: wiring.log,
  sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
  runs: runsOf(wiring),
  memos: createMemoStore(wiring.doc, { memos: wiring.env(ENV.memosTable), control: "" }),
}));
