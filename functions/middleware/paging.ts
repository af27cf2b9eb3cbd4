import * as z from "zod";
import { AppError } from "../../lib/core/errors.ts";

/** Opaque to callers: base64url of where a list goes on. The owner is never in it. */
export const encodeCursor = (place: unknown): string =>
  Buffer.from(JSON.stringify(place), "utf8").toString("base64url");

/** Where a cursor of ours goes on; null when none was sent. @throws {AppError} invalid_request */
export function decodeCursor<S extends z.ZodType>(schema: S, cursor: string | undefined): z.infer<S> | null {
  if (cursor === undefined) return null;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    value = undefined;
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidQuery("cursor", "is not a cursor of this list; use the nextCursor of its last page");
}

/** The `limit` of a list's query. @throws {AppError} invalid_request */
export function limitOf(query: Record<string, string>, rules: { max: number; standard: number }): number {
  const text = query["limit"];
  if (text === undefined) return rules.standard;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= rules.max) return limit;
  throw invalidQuery("limit", `is "${text.slice(0, 20)}"; expected a whole number from 1 to ${rules.max}`);
}

function invalidQuery(name: string, message: string): AppError {
  return new AppError("invalid_request", `query ${name} ${message}`, {
    failing: [{ pointer: `/query/${name}`, message }],
  });
}
