import { AppError, isAppError } from "../../lib/core/errors.ts";
import { HoldEdit, type EditModel } from "../../lib/pages/hold-edit.tsx";
import { holdTitle } from "../../lib/pages/hold.tsx";
import { DecisionRequest } from "../../lib/runs/decision-request.ts";
import { decideOnRecord, noteDenied, takeBackOnRecord } from "../../lib/runs/on-record.ts";
import { snoozeHold, unsnoozeHold } from "../../lib/runs/snooze-hold.ts";
import { requireScope } from "../middleware/authenticate.ts";
import { checked } from "../middleware/parse-body.ts";
import { formOf, type Form } from "./form.ts";
import { readHoldPage } from "./hold-model.ts";
import { ownTextOf } from "./hold-texts.ts";
import { refusalPage } from "./hold-refusals.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PageContext } from "./page-request.ts";
import { showPage, type PagesApp } from "./page.ts";

/** What a person says of one hold, each by a form that leads back to it. */
export function holdDecisions(app: PagesApp, deps: PageDeps): void {
  const act = (name: string, run: (c: PageContext, holdId: string, form: Form) => Promise<string>) =>
    app.post(`/steward/holds/:id/${name}`, async (c) => {
      const holdId = c.req.param("id") ?? "";
      const form = await deciderForm(deps, c, holdId);
      try {
        return c.redirect(`/steward/holds/${encodeURIComponent(await run(c, holdId, form))}`, 303);
      } catch (error) {
        if (!isAppError(error) || c.env.wantsJson) throw error;
        return refusalPage(deps, c, { holdId, form, error });
      }
    });

  act("decision", async (c, holdId, form) => {
    await decideOnRecord(deps, holdId, askingOf(c), await decisionOf(deps, c, holdId, form));
    return holdId;
  });
  act("take-back", async (c, holdId, form) => {
    const decisionId = form.text("decisionId") ?? "";
    return (await takeBackOnRecord(deps, holdId, askingOf(c), decisionId)).holdId;
  });
  act("snooze", async (c, holdId, form) => {
    await snoozeHold(deps, holdId, askingOf(c), form.text("until") ?? "");
    return holdId;
  });
  act("unsnooze", async (c, holdId) => {
    await unsnoozeHold(deps, holdId, askingOf(c));
    return holdId;
  });
  app.post("/steward/holds/:id/preview", async (c) => {
    const holdId = c.req.param("id") ?? "";
    const form = await deciderForm(deps, c, holdId);
    return editPage(deps, c, holdId, form);
  });
}

/** The form of somebody who may decide; of anybody else the try is on record. @throws {AppError} scope_missing */
export async function deciderForm(deps: PageDeps, c: PageContext, holdId: string): Promise<Form> {
  const asking = askingOf(c);
  if (!asking.principal.scopes.includes("holds:decide")) await noteDenied(deps, holdId, asking);
  requireScope(asking.principal, "holds:decide");
  return formOf(c);
}

/** Pages are of people, who act in no session. */
export const askingOf = (c: PageContext) => ({ principal: c.get("session").principal, sessionId: null });

/** A form's fields as the request that a client would send. */
async function decisionOf(
  deps: PageDeps,
  c: PageContext,
  holdId: string,
  form: Form,
): Promise<DecisionRequest> {
  const verdict = form.text("verdict");
  const field = (name: string) => {
    const value = form.text(name);
    return value === undefined || value === "" ? {} : { [name]: value };
  };
  const onVersion = form.text("onVersion");
  if (verdict === "reject" && reasonOf(form).reason === undefined) {
    const message = "a rejection needs a reason: choose one, or say it in words";
    throw new AppError("invalid_request", message, { failing: [{ pointer: "/reason", message }] });
  }
  const isOwnText = form.text("text") !== undefined && (verdict === "approve_edited" || verdict === "rebase");
  const own = isOwnText ? await ownTextOf(deps, askingOf(c).principal.ownerUid, holdId, form) : undefined;
  return checked(
    DecisionRequest,
    {
      verdict,
      ...field("sha256"),
      ...field("decisionId"),
      ...reasonOf(form),
      ...(own && { text: own.text }),
      ...(own && verdict === "approve_edited" && own.title !== null && { title: own.title }),
      ...((verdict === "rebase" || verdict === "replace") && { onVersion: Number(onVersion) }),
    },
    "body",
  );
}

/** What was chosen and what was written, in one line; a rejection without either is none. */
export function reasonOf(form: Form): { reason?: string } {
  const said = [form.text("preset"), form.text("reason")].map((text) => text?.trim() ?? "");
  const reason = said.filter((text) => text !== "").join(": ");
  return reason === "" ? {} : { reason };
}

/** The page to edit on, with the person's text on it and what it comes to. */
export async function editPage(
  deps: PageDeps,
  c: PageContext,
  holdId: string,
  form?: Form,
): Promise<Response> {
  const { principal } = c.get("session");
  const model = await readHoldPage(deps, { principal, holdId, view: "edit", at: c.env.at });
  const own = await ownTextOf(deps, principal.ownerUid, holdId, form);
  const decisionId = form?.text("decisionId") ?? model.decisionId;
  const edit: EditModel = { ...model, own, decisionId, isPreview: form !== undefined };
  if (c.env.wantsJson) return c.json(edit as object);
  return showPage(c, { title: () => `Edit ${holdTitle(model)}`, view: HoldEdit }, edit);
}
