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
  const fields = await fieldsOf(c);
  const all = (name: string) => fields.getAll(name).filter((value) => typeof value === "string");
  return { text: (name) => all(name).at(-1), all };
}

/** Long texts come as multipart: percent signs would make three of each byte that is not ASCII. */
async function fieldsOf(c: PageContext): Promise<Pick<FormData, "getAll">> {
  if (!/^multipart\/form-data\b/i.test(c.req.header("content-type") ?? "")) {
    return new URLSearchParams(await c.req.text());
  }
  try {
    return await c.req.formData();
  } catch (cause) {
    const message = "is no form";
    throw new AppError(
      "invalid_request",
      `the body ${message}`,
      { failing: [{ pointer: "", message }] },
      { cause },
    );
  }
}

/** What a person has written in a form that cannot be taken: it is shown to them, to be copied, and not lost. */
export async function ownWordsOf(c: PageContext): Promise<readonly string[]> {
  if (c.req.method !== "POST") return [];
  try {
    const form = await readForm(c);
    return ["title", "text", "reason"]
      .map((name) => form.text(name)?.trim() ?? "")
      .filter((text) => text !== "");
  } catch {
    return [];
  }
}
