import { DAY_MS, SECOND_MS } from "../core/duration.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, format);
  return format;
}

/** What the clocks of a zone show at an instant, as ms of a UTC time that reads the same. */
export function wallOf(at: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/**
 * The instant at which the clocks of a zone show a time: the first of two when it is repeated, the next instant
 * that exists when it is skipped.
 */
export function instantOf(wall: number, zone: string): number {
  const offsetAt = (at: number): number => wallOf(at, zone) - Math.floor(at / SECOND_MS) * SECOND_MS;
  const before = wall - offsetAt(wall - DAY_MS);
  const after = wall - offsetAt(wall + DAY_MS);
  const exact = [before, after].sort((a, b) => a - b).find((at) => wallOf(at, zone) === wall);
  if (exact !== undefined) return exact;
  // Skipped: the clocks jump over it somewhere between the two readings.
  let low = Math.min(before, after);
  let high = Math.max(before, after);
  while (high - low > SECOND_MS) {
    const middle = Math.floor((low + high) / 2 / SECOND_MS) * SECOND_MS;
    if (wallOf(middle, zone) < wall) low = middle;
    else high = middle;
  }
  return high;
}
