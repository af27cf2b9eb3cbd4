import * as z from "zod";
import { createSignInLink } from "../lib/page-sessions/sign-in.ts";
import { DECISION_MAX_BYTES, DecisionRequest } from "../lib/runs/decision-request.ts";
import { decideOnRecord, noteDenied, takeBackOnRecord, type OnRecordDeps } from "../lib/runs/on-record.ts";
import { runSummary } from "../lib/runs/run-view.ts";
import type { SnoozeDeps } from "../lib/runs/snooze-hold.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { pathOf, type HttpAnswer, type HttpEvent } from "./middleware/http-event.ts";
import { route } from "./middleware/route.ts";
import { askingOf, DecisionId, inboxRoutes } from "./steward-inbox.ts";
import { stewardDeps } from "./steward-wiring.ts";
import { wired, type Wiring } from "./wiring.ts";

type Deps = HttpDeps & OnRecordDeps & SnoozeDeps & Parameters<typeof createSignInLink>[0];

const TakeBackBody = z.strictObject({ decisionId: DecisionId });

/** The admin function: the only one that writes decisions. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    ...inboxRoutes(deps),
    "POST /api/sign-in-links": route({
      scope: null,
      async run({ principal }) {
        return { status: 201, body: await createSignInLink(deps, principal) };
      },
    }),
    "POST /api/holds/{id}/decision": route({
      scope: "holds:decide",
      body: DecisionRequest,
      maxBodyBytes: DECISION_MAX_BYTES,
      denied: (request) => noteDenied(deps, request.params["id"] ?? "", askingOf(request)),
      async run(request) {
        const holdId = request.params["id"] ?? "";
        const { run, ...decided } = await decideOnRecord(deps, holdId, askingOf(request), request.body);
        return { status: 200, body: { holdId, ...decided, run: runSummary(run) } };
      },
    }),
    "POST /api/holds/{id}/take-back": route({
      scope: "holds:decide",
      body: TakeBackBody,
      denied: (request) => noteDenied(deps, request.params["id"] ?? "", askingOf(request)),
      async run(request) {
        const asking = askingOf(request);
        const { decisionId } = request.body;
        const { run, ...back } = await takeBackOnRecord(deps, request.params["id"] ?? "", asking, decisionId);
        return { status: 200, body: { ...back, run: runSummary(run) } };
      },
    }),
  });
}

const api = wired(createHandler, stewardDeps);
const pages = wired(
  (wiring: Wiring) => {
    // Only when a page is asked for: a decision does not wait for what draws them.
    const answer = import("./pages/pages-handler.ts").then((pages) => pages.createPagesHandler(wiring));
    return async (event: HttpEvent): Promise<HttpAnswer> => (await answer)(event);
  },
  (wiring) => wiring,
);

/** The same paths under the sign-in prefix are the API's. */
const isPage = (event: HttpEvent): boolean => /^\/steward(?!\/api\/)(\/|$)/.test(pathOf(event));

export const handler = (event: HttpEvent): Promise<HttpAnswer> => (isPage(event) ? pages(event) : api(event));
