import { AppError } from "../../lib/core/errors.ts";
import { DecisionRequest } from "../../lib/runs/decision-request.ts";
import { noteDenied } from "../../lib/runs/on-record.ts";
import { requireScope } from "../middleware/authenticate.ts";
import { checked } from "../middleware/parse-body.ts";
import { formOf, type Form } from "./form.ts";
import { ownTextOf } from "./hold-texts.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PageContext } from "./page-request.ts";

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
export async function decisionOf(
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
