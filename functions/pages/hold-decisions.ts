import { isAppError } from "../../lib/core/errors.ts";
import { HoldEdit, type EditModel } from "../../lib/pages/hold-edit.tsx";
import { holdTitle } from "../../lib/pages/hold.tsx";
import { decideOnRecord, takeBackOnRecord } from "../../lib/runs/on-record.ts";
import { snoozeHold, unsnoozeHold } from "../../lib/runs/snooze-hold.ts";
import type { Form } from "./form.ts";
import { askingOf, deciderForm, decisionOf } from "./hold-form.ts";
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
