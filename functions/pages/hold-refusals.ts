import type { AppError } from "../../lib/core/errors.ts";
import { ERRORS, hasCode } from "../../lib/core/errors.ts";
import { HoldRefused, type RefusedModel } from "../../lib/pages/hold-refused.tsx";
import type { Decision } from "../../lib/runs/run.ts";
import { errorAnswer } from "./error-page.ts";
import type { Form } from "./form.ts";
import { readHoldPage } from "./hold-model.ts";
import { textShown } from "./hold-texts.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PageContext } from "./page-request.ts";
import { showPage } from "./page.ts";

/** A decision that was not taken as a page: why, what has changed, and how to go on. */
export async function refusalPage(
  deps: PageDeps,
  c: PageContext,
  { holdId, form, error }: { holdId: string; form: Form; error: AppError },
): Promise<Response> {
  const row = ERRORS[error.code];
  if (row.disposition !== "reject" || error.code === "hold_not_found") {
    return errorAnswer(c, error, deps.log);
  }
  const { principal } = c.get("session");
  const model = await readHoldPage(deps, { principal, holdId, view: undefined, at: c.env.at });
  const refused: RefusedModel = {
    ...model,
    code: error.code,
    title: row.title,
    detail: error.message,
    hint: row.hint,
    decided: hasCode(error, "already_decided") ? (error.details.decision as Decision) : null,
    shownText: hasCode(error, "stale_proposal")
      ? await textShown(deps, principal.ownerUid, holdId, error.details.shown)
      : null,
    // What a person wrote is not lost because it came too late.
    own: form.text("text") ?? null,
    reason: form.text("reason") ?? null,
    principalId: principal.principalId,
  };
  return showPage(c, { title: () => refused.title, view: HoldRefused }, refused, row.httpStatus as 409);
}
