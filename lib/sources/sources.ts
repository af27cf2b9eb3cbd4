import type { Ticker } from "../core/clock.ts";
import type { Source } from "../core/source.ts";
import type { Catalog } from "../memos/catalog.ts";
import type { MemoStore } from "../memos/store.ts";
import type { EdgeStore } from "../edges/store.ts";
import type { RunStore } from "../runs/store.ts";
import type { SessionStore } from "../sessions/store.ts";
import type { VerdictLedger } from "../steward/store.ts";
import type { Resolve } from "./fetch-request.ts";
import { createEdgesSource } from "./edges-source.ts";
import { createFetchSource } from "./fetch-source.ts";
import { createHoldsSource } from "./holds-source.ts";
import { createMemoSource } from "./memo-source.ts";
import { createRunsSource } from "./runs-source.ts";
import { createSessionsSource, type SessionEvidenceReader } from "./sessions-source.ts";
import { createVerdictsSource } from "./verdicts-source.ts";

/** Schemes that a context step may include from. */
export const SOURCES = ["memo", "runs", "holds", "sessions", "verdicts", "edges", "fetch"] as const;
export type SourceScheme = (typeof SOURCES)[number];

/** Every source of this deployment, by scheme. */
export const createSources = (deps: {
  memos: MemoStore;
  catalog: Catalog;
  runs: RunStore;
  sessions: Pick<SessionStore, "listOwned">;
  evidence: SessionEvidenceReader;
  verdicts: Pick<VerdictLedger, "ofOwner">;
  edges: Pick<EdgeStore, "list">;
  ticker: Ticker;
  /** Hosts that may be read from; none refuses every address. */
  fetchHosts: () => readonly string[];
  resolve: Resolve;
}): Record<SourceScheme, Source> => ({
  memo: createMemoSource(deps),
  runs: createRunsSource(deps),
  holds: createHoldsSource(deps),
  sessions: createSessionsSource(deps),
  verdicts: createVerdictsSource(deps),
  edges: createEdgesSource(deps),
  fetch: createFetchSource({ hosts: deps.fetchHosts, resolve: deps.resolve, ticker: deps.ticker }),
});
