import { utf8Bytes } from "../../lib/core/bytes.ts";
import { ANSWER_BUDGET_BYTES, fits, sentBytes } from "./answer-budget.ts";

/** A text that an answer has no room for: `null` stands in its place. */
export type LeftOutText = {
  /** Where it would stand, as a JSON pointer. */
  pointer: string;
  /** Its UTF-8 bytes. */
  bytes: number;
  /** The request that answers it alone, as plain text; null where none does. */
  read: string | null;
};

/** Shorter texts are never left out. */
const LONG_TEXT_BYTES = 1024;
/** What a mark takes, pointer and request included. */
const MARK_BYTES = 1024;

/**
 * A body as JSON that fits into an answer. Of one that is too large the longest texts are left out, of equally long
 * ones the first, each with a mark in `textsLeftOut`; undefined when that is not enough.
 */
export function fittedJson(body: unknown, readAt: string | null): string | undefined {
  const whole = JSON.stringify(body);
  if (fits(whole)) return whole;
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  const texts = longTextsOf(body, "").sort((a, b) => b.sent - a.sent);
  const left = new Map<string, LeftOutText>();
  let bytes = sentBytes(whole);
  for (const { pointer, text, sent } of texts) {
    if (bytes <= ANSWER_BUDGET_BYTES) break;
    const read = readAt === null ? null : readAt + encodeURIComponent(pointer).replaceAll("%2F", "/");
    left.set(pointer, { pointer, bytes: utf8Bytes(text), read });
    bytes += MARK_BYTES - sent;
  }
  const fitted = JSON.stringify({
    ...(without(body, "", left) as object),
    textsLeftOut: [...left.values()],
  });
  return fits(fitted) ? fitted : undefined;
}

/** The text at a JSON pointer; undefined where none is. */
export function textAt(body: unknown, pointer: string): string | undefined {
  if (pointer !== "" && !pointer.startsWith("/")) return undefined;
  let value: unknown = body;
  for (const token of pointer.split("/").slice(1)) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === "string" ? value : undefined;
}

type LongText = { pointer: string; text: string; sent: number };

function longTextsOf(value: unknown, pointer: string): LongText[] {
  if (typeof value === "string") {
    return utf8Bytes(value) < LONG_TEXT_BYTES
      ? []
      : [{ pointer, text: value, sent: sentBytes(JSON.stringify(value)) }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => longTextsOf(member, at(pointer, name)));
}

function without(value: unknown, pointer: string, left: ReadonlyMap<string, unknown>): unknown {
  if (left.has(pointer)) return null;
  if (Array.isArray(value)) return value.map((member, index) => without(member, at(pointer, index), left));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, without(member, at(pointer, name), left)]),
  );
}

const at = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
