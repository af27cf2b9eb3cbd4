import { ERRORS } from "../../lib/core/errors.ts";
import { ErrorPage } from "../../lib/pages/error-page.tsx";
import { errorFields, type Log } from "../middleware/log.ts";
import { isServerFault, problemAnswer } from "../middleware/map-errors.ts";
import { ownWordsOf } from "./form.ts";
import type { PageContext } from "./page-request.ts";

/** Any error as a page that says what was wrong and what to do; for a twin as problem+json. */
export async function errorAnswer(c: PageContext, error: unknown, log: Log): Promise<Response> {
  const { requestId } = c.env.event.requestContext;
  if (isServerFault(error))
    log.error("page failed", { requestId, route: c.req.routePath, ...errorFields(error) });
  const { statusCode, headers, body } = problemAnswer(error, requestId);
  const status = statusCode as 400;
  if (c.env.wantsJson) return c.body(body, status, headers);
  const { "content-type": _type, ...others } = headers;
  const problem = JSON.parse(body) as {
    code: keyof typeof ERRORS;
    title: string;
    detail: string;
    hint: string;
  };
  const words = await ownWordsOf(c);
  return c.html(ErrorPage({ ...problem, requestId, words }), status, others);
}
