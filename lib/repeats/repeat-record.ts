import * as z from "zod";
import { DAY_MS, SECOND_MS } from "../core/duration.ts";

/** How long an answer is kept for whoever asks again. */
export const KEPT_MS = DAY_MS;

/** Longer than any function behind the gateway runs (25 s): after it, who began is dead, and its request may begin again. */
export const GIVEN_UP_AFTER_MS = 40 * SECOND_MS;

/** Most of an answer that is kept, in UTF-8 bytes. */
export const ANSWER_MAX_BYTES = 64 * 1024;

/** Members of an answer that is too large are kept up to this size: ids, versions and times are smaller. */
const MEMBER_MAX_BYTES = 1024;

/** What was answered, as it is answered again. */
export const KeptAnswer = z.strictObject({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  /** JSON text; empty when there was no body. */
  body: z.string(),
  /** Members were left out: the whole was larger than is kept. */
  isCut: z.boolean(),
});
export type KeptAnswer = z.infer<typeof KeptAnswer>;

/** A request that was sent with a key of its own, and its answer once there is one. */
export const RepeatRecord = z.object({
  requestHash: z.string(),
  /** Who may write the answer. */
  token: z.string(),
  startedAt: z.int(),
  expiresAt: z.int(),
  answer: KeptAnswer.nullable(),
});
export type RepeatRecord = z.infer<typeof RepeatRecord>;

/** The answer as it is kept: whole, or without its large members. */
export function keptAnswer(answer: {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}): KeptAnswer {
  const { status, headers, body } = answer;
  const whole = body === undefined ? "" : JSON.stringify(body);
  if (Buffer.byteLength(whole) <= ANSWER_MAX_BYTES) return { status, headers, body: whole, isCut: false };
  return { status, headers, body: JSON.stringify(smallMembersOf(body)), isCut: true };
}

/** The members of an answer that are small. */
export function smallMembersOf(body: unknown): Record<string, unknown> {
  const small: Record<string, unknown> = {};
  let left = ANSWER_MAX_BYTES;
  for (const [name, value] of Object.entries(body ?? {})) {
    const bytes = Buffer.byteLength(JSON.stringify([name, value]));
    if (bytes > MEMBER_MAX_BYTES || bytes > left) continue;
    small[name] = value;
    left -= bytes;
  }
  return small;
}
