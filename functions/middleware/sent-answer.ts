import { utf8Bytes } from "../../lib/core/bytes.ts";
import { AppError } from "../../lib/core/errors.ts";
import { truncate } from "../../lib/core/text.ts";
import { smallMembersOf } from "../../lib/repeats/repeat-record.ts";
import { ANSWER_BUDGET_BYTES, fits, sentBytes } from "./answer-budget.ts";
import { parametersOf, pathOf, routeKeyOf, type HttpAnswer, type HttpEvent } from "./http-event.ts";
import { fittedJson, textAt } from "./left-out-texts.ts";
import type { HttpResponse } from "./route.ts";

/**
 * A response as it is sent, within what Lambda sends: the whole, or without its longest texts, or the one text that
 * `part` of the query points to.
 * @throws {AppError} answer_too_large, of what only reads; invalid_request for a part that is no text
 */
export function sentAnswer(event: HttpEvent, response: HttpResponse): HttpAnswer {
  const { status, body, headers = {} } = response;
  if (body === undefined) return { statusCode: status, headers, body: "" };
  const { part, ...query } = parametersOf(event.queryStringParameters);
  const reads = response.isRead || routeKeyOf(event).startsWith("GET ");
  if (reads && part !== undefined) return textAnswer(status, partHeaders(headers), partOf(body, part));
  if (typeof body === "string" && headers["content-type"]) return textAnswer(status, headers, body);
  const asked = new URLSearchParams(query).toString();
  const path = response.textsAt ?? (reads ? `${routeKeyOf(event).split(" ")[0]} ${pathOf(event)}` : null);
  const json = fittedJson(body, path && `${path}?${asked && !response.textsAt ? `${asked}&` : ""}part=`);
  const type = { "content-type": "application/json", ...headers };
  if (json !== undefined) return { statusCode: status, headers: type, body: json };
  const bytes = sentBytes(JSON.stringify(body));
  if (reads) throw tooLarge(bytes);
  // It is written: the caller must learn that, and not that the answer was too long.
  const said = { done: true, answerLeftOut: { bytes }, ...smallMembersOf(body) };
  return { statusCode: status, headers: type, body: JSON.stringify(said) };
}

const partHeaders = (headers: Record<string, string>) => ({
  ...headers,
  "content-type": "text/plain; charset=utf-8",
  "x-content-type-options": "nosniff",
});

function partOf(body: unknown, part: string): string {
  const text = textAt(body, part);
  if (text !== undefined) return text;
  const message = `is "${truncate(part, 80)}"; expected the JSON pointer of a text of this answer, such as one of textsLeftOut`;
  throw new AppError("invalid_request", `query part ${message}`, {
    failing: [{ pointer: "/query/part", message }],
  });
}

/** A text as it is, or in base64 where its escapes would take more; the gateway decodes that. */
function textAnswer(statusCode: number, headers: Record<string, string>, body: string): HttpAnswer {
  if (fits(body)) return { statusCode, headers, body };
  const bytes = Math.ceil(utf8Bytes(body) / 3) * 4;
  if (bytes > ANSWER_BUDGET_BYTES) throw tooLarge(bytes);
  return { statusCode, headers, body: Buffer.from(body, "utf8").toString("base64"), isBase64Encoded: true };
}

const tooLarge = (bytes: number): AppError =>
  new AppError("answer_too_large", `the answer has ${bytes} bytes as it would be sent`, {
    limit: ANSWER_BUDGET_BYTES,
    actual: bytes,
  });
