import { createEdgeReader } from "../lib/edges/store.ts";
import { createSearch } from "../lib/memos/search.ts";
import type { Source } from "../lib/core/source.ts";
import type { PreviewDeps } from "../lib/runs/preview.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { createSources } from "../lib/sources/sources.ts";
import { ENV } from "./env.ts";
import type { libraryOf } from "./library-wiring.ts";
import { runsOf } from "./queue-wiring.ts";
import { timerTicker } from "./timers.ts";
import type { Wiring } from "./wiring.ts";

/** A preview calls nobody: what would be fetched is named and left out. */
const unread: Source = {
  scheme: "fetch",
  read: async (_context, argument) => [
    { title: argument, text: "(this page is read when the workflow runs; a preview fetches nothing)" },
  ],
};

/** What a preview reads: the same memos, search and sources as a run. */
export function previewDepsOf(
  wiring: Wiring,
  { memos, catalog }: Pick<ReturnType<typeof libraryOf>, "memos" | "catalog">,
): PreviewDeps {
  const { clock, doc, env } = wiring;
  const search = createSearch({ memos, catalog, clock });
  const sessions = createSessionStore(doc, { sessions: env(ENV.sessionsTable) });
  const sources = createSources({
    memos,
    catalog,
    runs: runsOf(wiring),
    sessions,
    edges: createEdgeReader(doc, { control: env(ENV.controlTable) }),
    ticker: timerTicker,
    fetchHosts: () => [],
    resolve: async () => [],
  });
  return {
    memos,
    clock,
    sources: { ...sources, fetch: unread },
    searchNotes: (ownerUid, query, limits) =>
      search.searchMemos(ownerUid, query, { ...limits, memoType: "note" }),
  };
}
