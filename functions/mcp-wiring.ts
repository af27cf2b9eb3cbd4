import type { AgentToolDeps } from "../lib/agent-tools/agent-tool.ts";
import { edgesOf } from "./edge-wiring.ts";
import { guardsOf } from "./guard-wiring.ts";
import { memosDeps } from "./http-memos-wiring.ts";
import { libraryOf } from "./library-wiring.ts";
import { limitWrites, type HttpDeps } from "./middleware/http-handler.ts";
import { errorFields } from "./middleware/log.ts";
import { runsOf } from "./queue-wiring.ts";
import { auditOf } from "./record-wiring.ts";
import { enqueueDepsOf } from "./tell-wiring.ts";
import { pauseFor } from "./timers.ts";
import type { Wiring } from "./wiring.ts";

export type McpDeps = HttpDeps & { tools: AgentToolDeps };

/** What the tools of agents work with: what the routes of memos, queue and runs do. */
export function mcpDepsOf(wiring: Wiring): McpDeps {
  const { clock, log } = wiring;
  const library = libraryOf(wiring);
  const memos = memosDeps(wiring, library);
  const guards = guardsOf(wiring);
  const { sessions } = memos;
  if (!sessions) throw new Error("the tools of agents need sessions");
  return {
    ...guards,
    clock,
    log,
    sessions,
    tools: {
      ...memos,
      ...enqueueDepsOf(wiring, library),
      sessions,
      edges: edgesOf(wiring),
      runs: runsOf(wiring),
      audit: auditOf(wiring),
      pause: pauseFor,
      limitWrites: (principal, at) => limitWrites(guards.limiter, principal, at),
      notRecorded: (error) => log.warn("call not recorded on its session", errorFields(error)),
      failed: (tool, error) => log.error("tool failed", { route: tool, ...errorFields(error) }),
    },
  };
}
