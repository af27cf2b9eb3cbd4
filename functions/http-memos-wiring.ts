import { tellingOf, tellOfMemo } from "../lib/intake/save-memo.ts";
import type { Ids } from "../lib/core/ids.ts";
import type { Catalog } from "../lib/memos/catalog.ts";
import type { Telling } from "../lib/memos/memo.ts";
import { createSearch, type Search } from "../lib/memos/search.ts";
import type { MemoStore } from "../lib/memos/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { ENV } from "./env.ts";
import { wakeBrokenLanes, type MemoChanged } from "./http-memos-lanes.ts";
import { libraryOf } from "./library-wiring.ts";
import type { HttpDeps } from "./middleware/http-handler.ts";
import { errorFields } from "./middleware/log.ts";
import { tellDepsOf } from "./tell-wiring.ts";
import type { Wiring } from "./wiring.ts";

/** What the routes of memos need. */
export type MemosDeps = HttpDeps & {
  ids: Ids;
  memos: MemoStore;
  catalog: Catalog;
  search: Search;
  telling?: (ownerUid: string) => Promise<Telling>;
  memoChanged: MemoChanged;
  workflowRemoved?: MemoChanged;
  /** A title is new in the library: workflows that missed it may compile now. */
  titlesChanged?: (ownerUid: string) => Promise<void>;
};

export function memosDeps(wiring: Wiring, library = libraryOf(wiring)): MemosDeps {
  const { clock, ids, log, doc, env } = wiring;
  const { memos, catalog } = library;
  const tell = tellDepsOf(wiring, library);
  /** The memo is written, which is the answer; what follows stands on it as untold, and recover repeats it. */
  const follow =
    (work: MemoChanged): MemoChanged =>
    async (memo) => {
      try {
        await work(memo);
      } catch (error) {
        log.warn("not told yet", { memoId: memo.memoId, ...errorFields(error) });
      }
    };
  const wakeBroken = wakeBrokenLanes({ queue: tell.queue, doorbells: tell.doorbells, catalog });
  return {
    clock,
    ids,
    log,
    sessions: createSessionStore(doc, { sessions: env(ENV.sessionsTable) }),
    memos,
    catalog,
    search: createSearch({ memos, catalog, clock }),
    telling: (ownerUid) => tellingOf(tell, ownerUid),
    memoChanged: follow(({ ownerUid, memoId }) => tellOfMemo(tell, ownerUid, memoId)),
    async titlesChanged(ownerUid) {
      try {
        await wakeBroken(ownerUid);
      } catch (error) {
        // The memo is written all the same; the slow sweep of lanes finds what waits.
        log.warn("lanes not woken", errorFields(error));
      }
    },
    // A crash before it is mended by the schedule's next slot, which finds no workflow.
    workflowRemoved: follow(
      ({ ownerUid, memoId }) => tell.workflowSaved?.(ownerUid, memoId) ?? Promise.resolve(),
    ),
  };
}
