import { createHmac, timingSafeEqual } from "node:crypto";
import type * as z from "zod";
import { AppError } from "../../lib/core/errors.ts";
import { truncate } from "../../lib/core/text.ts";

/** The pages of one list: how long one is, where it starts, and how the next one is asked for. */
export type Paging = {
  /** The `limit` of the query. @throws {AppError} invalid_request */
  limit(rules: { max: number; standard: number }): number;
  /** Where the page goes on; null on the first one. @throws {AppError} invalid_request for what no page of this list gave */
  after<S extends z.ZodType>(place: S): z.infer<S> | null;
  /** For a list that is one page. @throws {AppError} invalid_request when a cursor was sent all the same */
  onlyPage(): void;
  /** The answer of a list. */
  page<T>(items: readonly T[], next: unknown): { items: readonly T[]; nextCursor: string | null };
};

/** Which list: whose, at which route and path; beside the query's filters a cursor means nothing in another one. */
export type List = { ownerUid: string; place: readonly string[] };

/** Bytes of a signature; a cut of sha-256 that is as long as any guess needs. */
const SIGNATURE_BYTES = 16;

/**
 * Paging of one list. A cursor is opaque: base64url of where the list goes on, behind a signature over that, the
 * owner, the route, what its path names and the filters of its query. The owner of what is listed is always that of
 * the credential and never read from it.
 */
export function pagingOf(list: List, query: Readonly<Record<string, string>>, cursorKey: string): Paging {
  const { cursor, limit: said, ...filters } = query;
  const signatureOf = (next: string): Buffer => {
    const signed = JSON.stringify([list.ownerUid, list.place, Object.entries(filters).sort(), next]);
    return createHmac("sha256", cursorKey).update(signed).digest().subarray(0, SIGNATURE_BYTES);
  };
  return {
    limit({ max, standard }) {
      if (said === undefined) return standard;
      const limit = /^\d{1,6}$/.test(said) ? Number(said) : 0;
      if (limit >= 1 && limit <= max) return limit;
      throw invalidQuery("limit", `is "${truncate(said, 20)}"; expected a whole number from 1 to ${max}`);
    },
    after(place) {
      if (cursor === undefined) return null;
      const bytes = Buffer.from(cursor, "base64url");
      const next = bytes.subarray(SIGNATURE_BYTES).toString("utf8");
      // Padded to one length, whatever was sent: the comparison cannot throw.
      const presented = Buffer.alloc(SIGNATURE_BYTES);
      bytes.copy(presented, 0, 0, SIGNATURE_BYTES);
      const parsed = timingSafeEqual(presented, signatureOf(next)) && place.safeParse(jsonOf(next));
      if (parsed && parsed.success) return parsed.data;
      throw invalidQuery("cursor", "is not a cursor of this list; use the nextCursor of its last page");
    },
    onlyPage() {
      if (cursor !== undefined) throw invalidQuery("cursor", "is not taken here: this list is one page");
    },
    page(items, next) {
      if (!next) return { items, nextCursor: null };
      const text = JSON.stringify(next);
      return {
        items,
        nextCursor: Buffer.concat([signatureOf(text), Buffer.from(text)]).toString("base64url"),
      };
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalidQuery(name: string, message: string): AppError {
  return new AppError("invalid_request", `query ${name} ${message}`, {
    failing: [{ pointer: `/query/${name}`, message }],
  });
}
