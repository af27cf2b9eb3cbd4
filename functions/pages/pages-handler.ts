import type { HttpAnswer, HttpEvent } from "../middleware/http-event.ts";
import type { Wiring } from "../wiring.ts";
import { createPages } from "./page-app.ts";
import type { PageEnv } from "./page-request.ts";
import { pageDepsOf } from "./page-wiring.ts";

/** What a page answers: also a cookie. */
type PageAnswer = HttpAnswer & { cookies?: string[] };

/** The pages behind the gateway. The adapter of Hono is on its way out and reads less of an event than we do. */
export function createPagesHandler(wiring: Wiring): (event: HttpEvent) => Promise<PageAnswer> {
  const app = createPages(pageDepsOf(wiring));
  return async (event) => {
    const { requestId } = event.requestContext;
    const { request, wantsJson } = requestOf(event);
    const env: PageEnv["Bindings"] = { event, at: wiring.clock.now(), wantsJson };
    const answer = await app.fetch(request, env);
    const { "set-cookie": _cookies, ...headers } = Object.fromEntries(answer.headers);
    const cookies = answer.headers.getSetCookie();
    return {
      statusCode: answer.status,
      headers: { "cache-control": "no-store", ...headers, "x-request-id": requestId },
      ...(cookies.length > 0 && { cookies }),
      body: await answer.text(),
    };
  };
}

/** The request that an event tells of; a path that ends in `.json` is the page's, asked for as data. */
function requestOf(event: HttpEvent): { request: Request; wantsJson: boolean } {
  const url = new URL(`http://${event.headers["host"] ?? "localhost"}${event.rawPath ?? event.path ?? "/"}`);
  url.search = new URLSearchParams((event.queryStringParameters ?? {}) as Record<string, string>).toString();
  const wantsJson = url.pathname.endsWith(".json");
  if (wantsJson) url.pathname = url.pathname.slice(0, -".json".length);
  const headers = new Headers(event.headers as Record<string, string>);
  const { cookies } = event as { cookies?: string[] };
  if (cookies) headers.set("cookie", cookies.join("; "));
  const method = event.requestContext.http?.method ?? event.httpMethod ?? "GET";
  // A GET has none to us, whatever was sent with it.
  const body =
    method !== "GET" && event.body
      ? Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8")
      : undefined;
  return { request: new Request(url, { method, headers, ...(body && { body }) }), wantsJson };
}
