import * as z from "zod";
import { AppError } from "../../lib/core/errors.ts";
import { digestOf } from "../../lib/core/ids.ts";
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

/**
 * Paging of one list, as its route and what its path names say. A cursor is opaque: base64url of where the list goes
 * on, behind a tag of the list, so that another list's means nothing here. The owner is never in it.
 */
export function pagingOf(list: readonly string[], query: Readonly<Record<string, string>>): Paging {
  const tag = digestOf(list).slice(0, 8);
  const { cursor, limit: said } = query;
  return {
    limit({ max, standard }) {
      if (said === undefined) return standard;
      const limit = /^\d{1,6}$/.test(said) ? Number(said) : 0;
      if (limit >= 1 && limit <= max) return limit;
      throw invalidQuery("limit", `is "${truncate(said, 20)}"; expected a whole number from 1 to ${max}`);
    },
    after(place) {
      if (cursor === undefined) return null;
      const [list, after] = z.array(z.unknown()).catch([]).parse(jsonOf(cursor));
      const parsed = place.safeParse(after);
      if (list === tag && parsed.success) return parsed.data;
      throw invalidQuery("cursor", "is not a cursor of this list; use the nextCursor of its last page");
    },
    onlyPage() {
      if (cursor !== undefined) throw invalidQuery("cursor", "is not taken here: this list is one page");
    },
    page: (items, next) => ({
      items,
      nextCursor: next ? Buffer.from(JSON.stringify([tag, next]), "utf8").toString("base64url") : null,
    }),
  };
}

function jsonOf(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

function invalidQuery(name: string, message: string): AppError {
  return new AppError("invalid_request", `query ${name} ${message}`, {
    failing: [{ pointer: `/query/${name}`, message }],
  });
}
