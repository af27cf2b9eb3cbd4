import { AppError } from "../../lib/core/errors.ts";
import { sameSecret } from "../middleware/same-secret.ts";
import type { PageContext } from "./page-request.ts";

/** A posted form's texts, the last of each name; lists by `all`. */
export type Form = { text(name: string): string | undefined; all(name: string): string[] };

/**
 * The form of a request that comes from a page of this sign-in.
 * @throws {AppError} form_expired for any other
 */
export async function formOf(c: PageContext): Promise<Form> {
  const sent = await readForm(c);
  if (!sameSecret(sent.text("formToken") ?? "", c.get("session").formToken)) {
    throw new AppError("form_expired", "this form was not made for this sign-in", {});
  }
  return sent;
}

/** A form as it is sent, whoever made it. */
export async function readForm(c: PageContext): Promise<Form> {
  const fields = new URLSearchParams(await c.req.text());
  return { text: (name) => fields.getAll(name).at(-1), all: (name) => fields.getAll(name) };
}
