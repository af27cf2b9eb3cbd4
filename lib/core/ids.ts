import { createHash, randomBytes, randomUUID } from "node:crypto";

/** The kinds of thing that have an id; an id starts with its kind. */
export type IdPrefix =
  | "memo"
  | "item"
  | "run"
  | "hold"
  | "ses"
  | "dec"
  | "req"
  | "key"
  | "pass"
  | "lease"
  | "write"
  | "notice";

/** An id that carries its kind, so that a hold's id cannot be passed for a run's. */
export type Id<P extends IdPrefix> = `${P}_${string}`;

/** Makes a new id of a kind. Tests pass `countingIds()`. */
export type Ids = <P extends IdPrefix>(prefix: P) => Id<P>;

/** Ids that cannot be guessed (122 random bits). */
export const randomIds: Ids = (prefix) => `${prefix}_${randomUUID().replaceAll("-", "")}`;

/** Secret text of 256 random bits, safe in a header. */
export const randomSecret = (): string => randomBytes(32).toString("base64url");

/**
 * The id that the same parts always give, so that a repeat collides with the first attempt.
 * 120 bits of sha-256 over the parts, each behind its length.
 */
export function deriveId<P extends IdPrefix>(prefix: P, ...parts: (string | number)[]): Id<P> {
  return `${prefix}_${digestOf(parts)}`;
}

/** 120 bits of sha-256 over the parts, each behind its length, as 30 hexadecimal digits. */
export function digestOf(parts: readonly (string | number)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    const text = String(part);
    hash.update(`${Buffer.byteLength(text)}:${text}`);
  }
  return hash.digest("hex").slice(0, 30);
}

/** Whether a text from outside has the shape of an id of this kind. */
export function isId<P extends IdPrefix>(prefix: P, value: unknown): value is Id<P> {
  return (
    typeof value === "string" &&
    value.length <= 200 &&
    value.startsWith(`${prefix}_`) &&
    /^[a-z]+_[A-Za-z0-9._-]+$/.test(value)
  );
}

/** A number from 0 to below 1, for the jitter of waits. */
export const unitRandom = (): number => Math.random();
