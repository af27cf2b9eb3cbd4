import { createEdgeStore, type EdgeStore } from "../lib/edges/store.ts";
import type { Commands } from "../lib/intake/commands.ts";
import type { MemoStore } from "../lib/memos/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { ENV } from "./env.ts";
import { guardsOf } from "./guard-wiring.ts";
import { libraryOf } from "./library-wiring.ts";
import type { HttpDeps } from "./middleware/http-handler.ts";
import type { Wiring } from "./wiring.ts";

export type EdgeDeps = HttpDeps & { edges: EdgeStore; workflows: Pick<Commands, "idOf">; memos: MemoStore };

/** Edges, of this deployment's tables. */
export const edgesOf = ({ doc, env }: Wiring): EdgeStore =>
  createEdgeStore(doc, { control: env(ENV.controlTable), ledger: env(ENV.ledgerTable) });

/** What edges are read and answered with. */
export function edgeDepsOf(wiring: Wiring): EdgeDeps {
  const { memos, workflows } = libraryOf(wiring);
  const { doc, env, clock, log } = wiring;
  const sessions = createSessionStore(doc, { sessions: env(ENV.sessionsTable) });
  return { ...guardsOf(wiring), clock, log, sessions, memos, workflows, edges: edgesOf(wiring) };
}
