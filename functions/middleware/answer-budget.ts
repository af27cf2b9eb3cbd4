import { utf8Bytes } from "../../lib/core/bytes.ts";
import type { HttpEvent } from "./http-event.ts";
import type { HttpResponse } from "./route.ts";

/** Lambda sends answers of 6 MB; some of it is for status and headers. */
export const ANSWER_BUDGET_BYTES = 6_291_556 - 64 * 1024;

/** The bytes of a body as it is sent: a text within JSON, so that every quote of it is escaped once more. */
export function sentBytes(body: string): number {
  // Half a pair is written as an escape: rare, so measured by doing it.
  if (!body.isWellFormed()) return utf8Bytes(JSON.stringify(body));
  let bytes = utf8Bytes(body) + 2;
  for (let at = 0; at < body.length; at++) {
    const code = body.charCodeAt(at);
    if (code === 0x22 || code === 0x5c) bytes += 1;
    else if (code < 0x20) bytes += SHORT_ESCAPES.has(code) ? 1 : 5;
  }
  return bytes;
}

/** Backspace, tab, line feed, form feed and return; other control characters take six bytes. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);

/** Whether a body fits into an answer. */
export const fits = (body: string): boolean =>
  // No character takes more than six bytes: what is short needs no measuring.
  body.length * 6 <= ANSWER_BUDGET_BYTES || sentBytes(body) <= ANSWER_BUDGET_BYTES;

/** What a page has beside its items: the cursor, and the commas. */
const AROUND_ITEMS_BYTES = 8 * 1024;
/** A list that grows while it is asked for is cut again; more often than this it only looks like one. */
const MAX_CUTS = 4;

/**
 * A page that ends before the item which would pass the budget, by asking for fewer: so its cursor is that of its
 * last item, whatever the list is. Whatever is no page stays as it is.
 */
export async function pageThatFits(
  event: HttpEvent,
  list: (event: HttpEvent) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  let response = await list(event);
  for (let cut = 0; cut < MAX_CUTS; cut++) {
    const items = itemsOf(response.body);
    const limit = items && fittingOf(items);
    if (!items || limit === undefined || limit >= items.length) break;
    const query = { ...event.queryStringParameters, limit: String(limit) };
    response = await list({ ...event, queryStringParameters: query });
  }
  return response;
}

function itemsOf(body: unknown): readonly unknown[] | undefined {
  if (typeof body !== "object" || body === null || !("nextCursor" in body)) return undefined;
  const { items } = body as { items?: unknown };
  return Array.isArray(items) ? items : undefined;
}

/** How many of the first items fit; one always counts as fitting, its long texts are left out. */
function fittingOf(items: readonly unknown[]): number {
  let bytes = AROUND_ITEMS_BYTES;
  for (const [index, item] of items.entries()) {
    bytes += sentBytes(JSON.stringify(item) ?? "null");
    if (bytes > ANSWER_BUDGET_BYTES) return Math.max(1, index);
  }
  return items.length;
}
