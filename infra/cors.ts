/** Headers that a page of another origin may send, beside those that every page may. */
const ALLOW_HEADERS = [
  "authorization",
  "content-type",
  "idempotency-key",
  "if-match",
  "x-api-key",
  "x-mythos-session",
];

/** Headers of an answer that such a page may read. */
const EXPOSE_HEADERS = [
  "etag",
  "idempotency-replayed",
  "location",
  "retry-after",
  "x-mythos-session-warning",
  "x-request-id",
];

/**
 * What pages of the origins that a deployment names may ask; none is named unless somebody does. A key is sent in a
 * header and never by the browser on its own, so cookies stay out.
 */
export const CORS = {
  allowMethods: ["GET", "POST", "PUT", "DELETE"],
  allowHeaders: ALLOW_HEADERS,
  exposeHeaders: EXPOSE_HEADERS,
  maxAgeSec: 3600,
} as const;

/** The origins in a text, by commas. @throws when one is no origin, as "*" is none: it would open the API to every page */
export function readOrigins(setting: string, text: string): readonly string[] {
  const origins = text.split(",").filter((each) => each !== "");
  for (const origin of origins) {
    const url = URL.parse(origin);
    if (url && /^https?:$/.test(url.protocol) && url.origin === origin && !origin.includes("*")) continue;
    throw new Error(
      `${setting} holds "${origin}"; expected origins such as https://app.example, with commas`,
    );
  }
  return origins;
}
