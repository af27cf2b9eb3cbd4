import { parseDuration } from "./duration.ts";

/** A day, or a time with its zone, as ISO 8601 writes them. */
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * The epoch ms that a person's words mean: an ISO time with its zone, the first moment of an ISO day in UTC, or a
 * duration such as `3d` counted from `at`, ahead or back. Undefined for anything else.
 */
export function momentOf(said: string, at: number, direction: "ahead" | "back"): number | undefined {
  const ms = parseDuration(said);
  if (ms !== undefined) return direction === "ahead" ? at + ms : at - ms;
  const time = ISO.test(said) ? Date.parse(said) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
