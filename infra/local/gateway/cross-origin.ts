import type { IncomingMessage } from "node:http";
import { CORS } from "../../cors.ts";
import type { Answer } from "./http-answer.ts";

/** Whether a page of an origin that nobody named sends this: one of this host's own names itself as the Host it asked. */
export function isForeign(origins: ReadonlySet<string>, { headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  return origin !== undefined && origin !== `http://${host}` && !origins.has(origin);
}

/** The headers of every answer to a page of a named origin, errors too; none for any other. */
export function crossOriginHeaders(
  origins: ReadonlySet<string>,
  request: IncomingMessage,
): Record<string, string> {
  const { origin } = request.headers;
  if (origins.size === 0) return {};
  // A cache must not give one origin's answer to another.
  if (origin === undefined || !origins.has(origin)) return { vary: "origin" };
  return {
    vary: "origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": CORS.exposeHeaders.join(","),
  };
}

/**
 * The answer to a browser that asks before it sends, of any path and without a key, as an HTTP API gives it;
 * undefined for what is no such question.
 */
export function preflightAnswer(origins: ReadonlySet<string>, request: IncomingMessage): Answer | undefined {
  const { headers, method } = request;
  if (origins.size === 0 || method !== "OPTIONS") return undefined;
  if (headers.origin === undefined || headers["access-control-request-method"] === undefined)
    return undefined;
  const allowed = origins.has(headers.origin) && {
    "access-control-allow-methods": CORS.allowMethods.join(","),
    "access-control-allow-headers": CORS.allowHeaders.join(","),
    "access-control-max-age": String(CORS.maxAgeSec),
  };
  return { status: 204, headers: { ...allowed }, body: "" };
}
