import type * as z from "zod";
import { utf8Bytes } from "../../lib/core/bytes.ts";
import { AppError, type Failing } from "../../lib/core/errors.ts";
import { headerOf, type HttpEvent } from "./http-event.ts";
import { placeOfJsonError } from "./json-place.ts";

/** Largest body where a route names no other limit (architecture: enqueue 256 KB). */
export const BODY_MAX_BYTES = 256 * 1024;

/** Deepest nesting of a body: far above any payload of people, far below what a schema's recursion survives. */
const MAX_DEPTH = 200;

/** An answer lists at most this many failing places; the rest show when these are corrected. */
const MAX_FAILING = 20;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/i;

/**
 * The body as the caller's text; empty when there is none.
 * @throws {AppError} body_too_large, malformed_json when the bytes are not UTF-8
 */
export function bodyTextOf(event: HttpEvent, maxBytes: number): string {
  if (!event.body) return "";
  const bytes = event.isBase64Encoded ? Buffer.from(event.body, "base64") : undefined;
  const actual = bytes ? bytes.byteLength : utf8Bytes(event.body);
  if (actual > maxBytes) {
    throw new AppError("body_too_large", `the body has ${actual} bytes; at most ${maxBytes} are read`, {
      limit: maxBytes,
      actual,
    });
  }
  if (!bytes) return event.body;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError("malformed_json", "the body is not UTF-8 text", { at: "body" }, { cause });
  }
}

/**
 * The body as the schema gives it.
 * @throws {AppError} unsupported_media_type, malformed_json, invalid_request
 */
export function parseBody<S extends z.ZodType>(event: HttpEvent, text: string, schema: S): z.infer<S> {
  return checked(schema, text === "" ? undefined : jsonOf(event, text), "body");
}

/**
 * Any value from outside as the schema gives it.
 * @throws {AppError} invalid_request with a JSON pointer for each failing place
 */
export function checked<S extends z.ZodType>(schema: S, value: unknown, what: string): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const failing = parsed.error.issues.flatMap(failingOf).slice(0, MAX_FAILING);
  const first = failing[0];
  const place = first?.pointer ? ` at ${first.pointer}` : "";
  throw new AppError("invalid_request", `the ${what} is not of the right form${place}: ${first?.message}`, {
    failing,
  });
}

function jsonOf(event: HttpEvent, text: string): unknown {
  const received = headerOf(event.headers, "content-type") ?? "none";
  if (!JSON_TYPE.test(received.trim())) {
    const message = `the content-type is ${received.slice(0, 100)}; application/json is read here`;
    throw new AppError("unsupported_media_type", message, { received: received.slice(0, 100) });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const at = placeOfJsonError(text);
    throw new AppError("malformed_json", `the body is not JSON from ${at} on`, { at }, { cause });
  }
  if (nestsDeeper(value, MAX_DEPTH)) {
    const message = `nests deeper than ${MAX_DEPTH} levels`;
    throw new AppError("invalid_request", `the body ${message}`, { failing: [{ pointer: "", message }] });
  }
  return value;
}

/** Level by level and not by recursion: what it guards against is a stack that runs out. */
function nestsDeeper(value: unknown, maxDepth: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((entry) =>
      typeof entry === "object" && entry !== null
        ? Object.values(entry).filter((member) => typeof member === "object" && member !== null)
        : [],
    );
  }
  return false;
}

function failingOf(issue: z.core.$ZodIssue): Failing[] {
  // An unknown member is reported at its parent; the caller needs the member.
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      pointer: pointerOf([...issue.path, key]),
      message: "is not known here",
    }));
  }
  return [{ pointer: pointerOf(issue.path), message: issue.message }];
}

/** RFC 6901; the empty text is the whole value. */
const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
