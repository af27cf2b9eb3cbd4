import type { HttpAnswer, HttpEvent } from "../middleware/http-event.ts";
import type { PageEnv } from "./page-request.ts";
import type { PagesApp } from "./page.ts";

/** What a page answers: also a cookie. */
type PageAnswer = HttpAnswer & { cookies?: string[] };

/** Passes an event of the gateway to the pages. The adapter of Hono is on its way out and reads less of an event than we do. */
export async function answerPage(app: PagesApp, event: HttpEvent, at: number): Promise<PageAnswer> {
  const { requestId, http } = event.requestContext;
  const url = new URL(`http://${event.headers["host"] ?? "localhost"}${event.rawPath ?? event.path ?? "/"}`);
  const query = new URLSearchParams((event.queryStringParameters ?? {}) as Record<string, string>);
  url.search = query.toString();
  const wantsJson = url.pathname.endsWith(".json");
  if (wantsJson) url.pathname = url.pathname.slice(0, -".json".length);
  const headers = new Headers(event.headers as Record<string, string>);
  const { cookies } = event as { cookies?: string[] };
  if (cookies) headers.set("cookie", cookies.join("; "));
  const method = http?.method ?? event.httpMethod ?? "GET";
  // A GET has none to us, whatever was sent with it.
  const body =
    method !== "GET" && event.body
      ? Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8")
      : undefined;
  const env: PageEnv["Bindings"] = { event, at, wantsJson };
  const answer = await app.fetch(new Request(url, { method, headers, ...(body && { body }) }), env);
  const { "set-cookie": _cookies, ...others } = Object.fromEntries(answer.headers);
  const setCookies = answer.headers.getSetCookie();
  return {
    statusCode: answer.status,
    headers: { "cache-control": "no-store", ...others, "x-request-id": requestId },
    ...(setCookies.length > 0 && { cookies: setCookies }),
    body: await answer.text(),
  };
}
