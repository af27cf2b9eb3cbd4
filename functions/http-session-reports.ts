import * as z from "zod";
import { scheduleState } from "../lib/loops/switch.ts";
import { RunPlace } from "../lib/runs/list-runs.ts";
import { DisagreementRequest, NudgeRequest } from "../lib/steward/answer-report.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { route } from "./middleware/route.ts";
import { reportDepsOf } from "./report-wiring.ts";
import { disagreeOnRecord, nudgeOnRecord, type ReportDeps } from "./reports-on-record.ts";
import { switchOnRecord } from "./schedule-on-record.ts";
import { listReports, readReport } from "./session-reports.ts";
import { askingOf } from "./steward-inbox.ts";
import { wired } from "./wiring.ts";

const SwitchRequest = z.strictObject({ status: z.enum(["live", "paused"]) });

/** What the session steward reports, what a person says to it, and whether it comes by itself. */
export function createHandler(deps: HttpDeps & ReportDeps) {
  return httpHandler(deps, {
    "GET /api/session-reports": route({
      scope: "runs:read",
      async run({ principal, paging }) {
        const page = { limit: paging.limit({ max: 100, standard: 25 }), after: paging.after(RunPlace) };
        const { items, next } = await listReports(deps, principal.ownerUid, page);
        return { status: 200, body: paging.page(items, next) };
      },
    }),
    "GET /api/session-reports/{runId}": route({
      scope: "runs:read",
      async run({ principal, params }) {
        return { status: 200, body: await readReport(deps, principal.ownerUid, params["runId"] ?? "") };
      },
    }),
    "POST /api/session-reports/{runId}/nudges": route({
      // A scope of people: no program speaks to a session by itself.
      scope: "holds:decide",
      body: NudgeRequest,
      async run(request) {
        const to = request.body.sessionId;
        const sent = await nudgeOnRecord(deps, askingOf(request), request.params["runId"] ?? "", to);
        return { status: 200, body: sent };
      },
    }),
    "POST /api/session-reports/{runId}/disagreements": route({
      scope: "holds:decide",
      body: DisagreementRequest,
      async run(request) {
        const runId = request.params["runId"] ?? "";
        return { status: 200, body: await disagreeOnRecord(deps, askingOf(request), runId, request.body) };
      },
    }),
    "GET /api/workflows/{idOrCommand}/schedules": route({
      scope: "runs:read",
      async run({ principal, params }) {
        const items = await scheduleState(deps, principal.ownerUid, params["idOrCommand"] ?? "");
        return { status: 200, body: { items } };
      },
    }),
    "PUT /api/workflows/{idOrCommand}/schedules": route({
      scope: "holds:decide",
      body: SwitchRequest,
      async run(request) {
        const workflow = request.params["idOrCommand"] ?? "";
        const items = await switchOnRecord(deps, askingOf(request), workflow, request.body.status);
        return { status: 200, body: { items } };
      },
    }),
  });
}

export const handler = wired(createHandler, reportDepsOf);
