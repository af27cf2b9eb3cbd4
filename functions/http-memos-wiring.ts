import type { Ids } from "../lib/core/ids.ts";
import { createCatalog, type Catalog } from "../lib/memos/catalog.ts";
import { createSearch, type Search } from "../lib/memos/search.ts";
import { createMemoStore, type MemoStore } from "../lib/memos/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { ENV } from "./env.ts";
import { wakeWaitingLane, type MemoChanged } from "./http-memos-lanes.ts";
import type { HttpDeps } from "./middleware/http-handler.ts";
import { doorbellsOf, queueOf } from "./queue-wiring.ts";
import type { Wiring } from "./wiring.ts";

/** What the routes of memos need. */
export type MemosDeps = HttpDeps & {
  ids: Ids;
  memos: MemoStore;
  catalog: Catalog;
  search: Search;
  memoChanged: MemoChanged;
};

export function memosDeps(wiring: Wiring): MemosDeps {
  const { clock, ids, log, doc, env } = wiring;
  const memos = createMemoStore(doc, { memos: env(ENV.memosTable), control: env(ENV.controlTable) });
  const catalog = createCatalog({ memos, clock });
  return {
    clock,
    ids,
    log,
    sessions: createSessionStore(doc, { sessions: env(ENV.sessionsTable) }),
    memos,
    catalog,
    search: createSearch({ memos, catalog, clock }),
    memoChanged: wakeWaitingLane({ queue: queueOf(wiring), doorbells: doorbellsOf(wiring) }),
  };
}
