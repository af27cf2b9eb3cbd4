import { createEdgeReader } from "../lib/edges/store.ts";
import type { Catalog } from "../lib/memos/catalog.ts";
import { createSearch } from "../lib/memos/search.ts";
import type { MemoStore } from "../lib/memos/store.ts";
import type { RunnerDeps } from "../lib/runs/runner-deps.ts";
import type { RunStore } from "../lib/runs/store.ts";
import { createSessionEvidence } from "../lib/steward/session-candidates.ts";
import { systemResolve } from "../lib/sources/fetch-request.ts";
import { createSources } from "../lib/sources/sources.ts";
import { createReadTools } from "../lib/tools/read-tools.ts";
import { ENV } from "./env.ts";
import { stewardPortsOf } from "./steward-tools-wiring.ts";
import { timerTicker } from "./timers.ts";
import type { Wiring } from "./wiring.ts";

/** What a run may read beside its own workflow: the search, the sources and the tools. */
export function readersOf(
  wiring: Wiring,
  given: { memos: MemoStore; catalog: Catalog; runs: RunStore; fetchHosts: () => readonly string[] },
): Pick<RunnerDeps, "searchNotes" | "sources" | "tools"> {
  const { clock, doc, env } = wiring;
  const search = createSearch({ ...given, clock });
  const searchNotes: RunnerDeps["searchNotes"] = (ownerUid, query, limits) =>
    search.searchMemos(ownerUid, query, { ...limits, memoType: "note" });
  const steward = stewardPortsOf(wiring, given);
  return {
    searchNotes,
    sources: createSources({
      ...given,
      sessions: steward.sessions,
      evidence: createSessionEvidence(steward),
      verdicts: steward.ledger,
      edges: createEdgeReader(doc, { control: env(ENV.controlTable) }),
      ticker: timerTicker,
      resolve: systemResolve,
    }),
    tools: createReadTools({ ...given, searchNotes }),
  };
}
