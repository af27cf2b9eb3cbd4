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

/** What a preview has no access to is named and left out: it calls nobody, and reads no memory of verdicts. */
const unread = (scheme: string, text: string): Source => ({
  scheme,
  read: async (_context, argument) => [{ title: argument, text }],
});

const FETCHED = "(this page is read when the workflow runs; a preview fetches nothing)";
const REMEMBERED = "(the verdicts of earlier passes are read when the workflow runs)";

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
    evidence: async () => [
      { title: "Sessions to judge", text: "(these sessions are looked for when the workflow runs)" },
    ],
    verdicts: { ofOwner: async () => [] },
    edges: createEdgeReader(doc, { control: env(ENV.controlTable) }),
    ticker: timerTicker,
    fetchHosts: () => [],
    resolve: async () => [],
  });
  return {
    memos,
    clock,
    sources: { ...sources, fetch: unread("fetch", FETCHED), verdicts: unread("verdicts", REMEMBERED) },
    searchNotes: (ownerUid, query, limits) =>
      search.searchMemos(ownerUid, query, { ...limits, memoType: "note" }),
  };
}
