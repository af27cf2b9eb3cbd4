/** The members of an object; of anything else, none. */
export const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** The items of a list; of anything else, none. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text that says something. */
export const filled = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

/** A real number: what JSON can hold, and no text of one. */
export const finite = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

const MINUTE_MS = 60_000;

/** Epoch ms of a time written as ISO 8601, or given as such; undefined where it cannot be read. */
export function millis(value: unknown): number | undefined {
  if (typeof value === "number") return finite(value);
  return typeof value === "string" ? finite(Date.parse(value)) : undefined;
}

/**
 * Minutes since a session's last activity, else since its start, never negative. What cannot be read counts as now,
 * so that nobody is ended for a time that is missing.
 */
export function idleMinutesOf(session: unknown, nowMs: number): number {
  const { lastActivityAt, startedAt } = record(session);
  const at = millis(lastActivityAt ?? startedAt);
  return at === undefined ? 0 : Math.max(0, (nowMs - at) / MINUTE_MS);
}

/** Minutes from a time until now; undefined where it cannot be read. */
export function minutesSince(value: unknown, nowMs: number): number | undefined {
  const at = millis(value);
  return at === undefined ? undefined : (nowMs - at) / MINUTE_MS;
}

/** What is kept under an id in a map or a plain object. */
export function keptUnder(memory: unknown, id: string): unknown {
  if (memory instanceof Map) return memory.get(id);
  const known = record(memory);
  return Object.hasOwn(known, id) ? known[id] : undefined;
}
