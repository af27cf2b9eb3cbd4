import * as z from "zod";
import { EnqueueRequest, enqueueItem } from "../../lib/intake/enqueue-item.ts";
import { DisagreementRequest, NudgeRequest } from "../../lib/steward/answer-report.ts";
import { NAMES } from "../../lib/steward/names.ts";
import { requireScope } from "../middleware/authenticate.ts";
import { checked } from "../middleware/parse-body.ts";
import { disagreeOnRecord, nudgeOnRecord } from "../reports-on-record.ts";
import { switchOnRecord } from "../schedule-on-record.ts";
import { DecisionId } from "../steward-inbox.ts";
import { formOf, type Form } from "./form.ts";
import { askingOf } from "./hold-form.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PageContext } from "./page-request.ts";
import type { PagesApp } from "./page.ts";

const LIST = "/steward/session-reports";

/** One press of the button: sent twice it is one pass. */
const LookForm = z.strictObject({ press: DecisionId, how: z.enum(["dry", "act"]).default("dry") });
const ScheduleForm = z.strictObject({ status: z.enum(["live", "paused"]) });

/** What people ask of the session steward and say to its reports. */
export function reportForms(app: PagesApp, deps: PageDeps): void {
  app.post(`${LIST}/look`, async (c) => {
    const form = await stewardForm(c);
    const { principal } = askingOf(c);
    requireScope(principal, "items:enqueue");
    const { press, how } = checked(LookForm, { press: form.text("press"), how: form.text("how") }, "form");
    const payload = how === "act" ? { apply: true } : {};
    const { runId } = await enqueueItem(deps, NAMES.workflowId, principal, {
      request: EnqueueRequest.parse({ payload, dedupeKey: `page ${press} ${how}` }),
      payloadText: JSON.stringify(payload),
      sessionId: null,
    });
    return c.redirect(`${LIST}/${runId}`, 303);
  });

  app.post(`${LIST}/schedule`, async (c) => {
    const form = await stewardForm(c);
    const { status } = checked(ScheduleForm, { status: form.text("status") }, "form");
    await switchOnRecord(deps, askingOf(c), NAMES.workflowId, status);
    return c.redirect(LIST, 303);
  });

  app.post(`${LIST}/:runId/nudge`, async (c) => {
    const form = await stewardForm(c);
    const { sessionId } = checked(NudgeRequest, { sessionId: form.text("session") }, "form");
    await nudgeOnRecord(deps, askingOf(c), c.req.param("runId"), sessionId);
    return back(c, "sent");
  });

  app.post(`${LIST}/:runId/disagree`, async (c) => {
    const form = await stewardForm(c);
    const note = form.text("note")?.trim();
    const fields = { sessionId: form.text("session"), verdict: form.text("verdict"), ...(note && { note }) };
    const said = checked(DisagreementRequest, fields, "form");
    const { recorded } = await disagreeOnRecord(deps, askingOf(c), c.req.param("runId"), said);
    return back(c, recorded ? "disagreed" : "agreed");
  });
}

/** The form of somebody who may decide. @throws {AppError} scope_missing, form_expired */
async function stewardForm(c: PageContext): Promise<Form> {
  requireScope(askingOf(c).principal, "holds:decide");
  return formOf(c);
}

/** To the report, which says what is on record now. */
const back = (c: PageContext, noted: string): Response =>
  c.redirect(`${LIST}/${encodeURIComponent(c.req.param("runId") ?? "")}?noted=${noted}`, 303);
