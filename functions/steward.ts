import * as z from "zod";
import { hasMemo } from "../lib/memos/read.ts";
import { DECISION_MAX_BYTES, DecisionRequest } from "../lib/runs/decision-request.ts";
import { decideOnRecord, noteDenied, takeBackOnRecord, type OnRecordDeps } from "../lib/runs/on-record.ts";
import { runSummary } from "../lib/runs/run-view.ts";
import type { SnoozeDeps } from "../lib/runs/snooze-hold.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { ENV } from "./env.ts";
import { guardsOf } from "./guard-wiring.ts";
import { libraryOf } from "./library-wiring.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { route } from "./middleware/route.ts";
import { doorbellsOf, runsOf } from "./queue-wiring.ts";
import { auditOf, snoozesOf } from "./record-wiring.ts";
import { askingOf, DecisionId, inboxRoutes } from "./steward-inbox.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & OnRecordDeps & SnoozeDeps;

const TakeBackBody = z.strictObject({ decisionId: DecisionId });

/** The admin function: the only one that writes decisions. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    ...inboxRoutes(deps),
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

export const handler = wired(createHandler, (wiring) => {
  const { memos, catalog, workflows } = libraryOf(wiring);
  return {
    ...guardsOf(wiring),
    clock: wiring.clock,
    ids: wiring.ids,
    log: wiring.log,
    sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
    runs: runsOf(wiring),
    memos,
    hasMemo: (ownerUid: string, ref: string) => hasMemo({ memos, catalog }, ownerUid, ref),
    gateMemoIds: (ownerUid: string) => workflows.gateMemoIds(ownerUid),
    doorbells: doorbellsOf(wiring),
    snoozes: snoozesOf(wiring),
    audit: auditOf(wiring),
  };
});
