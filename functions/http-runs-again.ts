import * as z from "zod";
import type { CurrentDeps } from "../lib/runs/current-hash.ts";
import { fork } from "../lib/runs/fork.ts";
import { requeueOf, rerun, rerunView, type Rerun, type RerunDeps } from "../lib/runs/rerun.ts";
import { route, type HttpRequest, type HttpResponse } from "./middleware/route.ts";

export type AgainDeps = RerunDeps & CurrentDeps;

const ForkRequest = z.strictObject({ fromStep: z.string().min(1).max(200) });

/** Work that has ended goes again: from the beginning, or from one of its steps on. */
export function againRoutes(deps: AgainDeps) {
  return {
    "POST /api/items/{id}/requeue": route({
      scope: "items:enqueue",
      run: async (request) => answer(await requeueOf(deps, request.params["id"] ?? "", askingOf(request))),
    }),
    "POST /api/runs/{id}/rerun": route({
      scope: "items:enqueue",
      run: async (request) => answer(await rerun(deps, request.params["id"] ?? "", askingOf(request))),
    }),
    "POST /api/runs/{id}/fork": route({
      scope: "items:enqueue",
      body: ForkRequest,
      async run(request) {
        const { fromStep } = request.body;
        return answer(await fork(deps, request.params["id"] ?? "", fromStep, askingOf(request)));
      },
    }),
  };
}

const askingOf = ({ principal, session }: Pick<HttpRequest, "principal" | "session">) => ({
  principal,
  sessionId: session,
});

const answer = (made: Rerun): HttpResponse => ({ status: made.repeated ? 200 : 202, body: rerunView(made) });
