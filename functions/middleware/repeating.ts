import { sha256 } from "../../lib/core/bytes.ts";
import { AppError } from "../../lib/core/errors.ts";
import { digestOf } from "../../lib/core/ids.ts";
import { once } from "../../lib/repeats/once.ts";
import { keptAnswer } from "../../lib/repeats/repeat-record.ts";
import { headerOf, parametersOf, pathOf, routeKeyOf, type HttpEvent } from "./http-event.ts";
import type { HttpResponse } from "./route.ts";

/** Where requests with an Idempotency-Key are kept. */
export type Repeating = Parameters<typeof once>[0];

export type RepeatRules = {
  /** What is kept of an answer that holds a secret. @default all of it */
  // The route alone knows the form of its answer.
  kept?(body: never): unknown;
};

export const IDEMPOTENCY_HEADER = "idempotency-key";
const REPLAYED = { "idempotency-replayed": "true" };
/** Says that large members were left out of a repeated answer. */
const CUT = { "idempotency-replayed": "true; partial" };

/** Does the request once for its Idempotency-Key, and as it comes without one. @throws {AppError} invalid_request for a key of another form */
export async function repeatable(
  repeating: Repeating,
  rules: RepeatRules,
  sent: { event: HttpEvent; ownerUid: string; bodyText: string },
  run: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { event, ownerUid, bodyText } = sent;
  const key = headerOf(event.headers, IDEMPOTENCY_HEADER);
  if (key === undefined) return run();
  const params = Object.values(parametersOf(event.pathParameters));
  const query = Object.entries(parametersOf(event.queryStringParameters)).sort();
  const request = {
    name: digestOf([ownerUid, routeKeyOf(event), ...params, checkedKey(key)]),
    key,
    requestHash: sha256(JSON.stringify([pathOf(event), query, bodyText])),
  };
  const done = await once(repeating, request, {
    run,
    kept: ({ status, headers = {}, body }) =>
      keptAnswer({ status, headers, body: rules.kept ? rules.kept(body as never) : body }),
  });
  if ("answer" in done) return done.answer;
  const { status, headers, body, isCut } = done.repeated;
  return {
    status,
    headers: { ...headers, ...(isCut ? CUT : REPLAYED) },
    ...(body !== "" && { body: JSON.parse(body) as unknown }),
  };
}

function checkedKey(key: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  const message = "is 1 to 200 characters of ASCII without spaces";
  throw new AppError("invalid_request", `the header Idempotency-Key ${message}`, {
    failing: [{ pointer: "/headers/idempotency-key", message }],
  });
}
