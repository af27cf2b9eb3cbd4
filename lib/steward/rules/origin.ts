import { filled, list, record } from "./reading.ts";

/** Origins of people's sessions and of sessions that may be ended, as patterns. */
export type OriginPolicy = { userOrigins: readonly string[]; closableOrigins: readonly string[] };

/** Whether a session may ever be ended by a steward. */
export type OriginClass = "user" | "closable";

export const DEFAULT_USER_ORIGINS: readonly string[] = ["chat-starter", "vscode"];

/** The reference's defaults, which every rule falls back to. */
export const DEFAULT_CLOSABLE_ORIGINS: readonly string[] = ["cron:*", "gate"];

/** Every origin that this system itself emits; who runs the steward here passes it. */
export const OUR_CLOSABLE_ORIGINS: readonly string[] = ["cron:*", "gate", "workflow:*", "loop:*"];

/** True when an origin is the pattern, or begins with all of it before a last `*`. */
export function matchesOrigin(origin: unknown, pattern: unknown): boolean {
  const named = filled(origin);
  const wanted = filled(pattern)?.trim();
  if (named === undefined || wanted === undefined) return false;
  return wanted.endsWith("*") ? named.startsWith(wanted.slice(0, -1)) : named === wanted;
}

/** The lists given, each where it names anything, else the reference's. */
export function resolveOriginPolicy(policy?: unknown): OriginPolicy {
  const { userOrigins, closableOrigins } = record(policy);
  return {
    userOrigins: patternsOf(userOrigins, DEFAULT_USER_ORIGINS),
    closableOrigins: patternsOf(closableOrigins, DEFAULT_CLOSABLE_ORIGINS),
  };
}

function patternsOf(value: unknown, fallback: readonly string[]): readonly string[] {
  const patterns = list(value).flatMap((one) => filled(one)?.trim() ?? []);
  return patterns.length > 0 ? patterns : fallback;
}

/**
 * `closable` only where something says so: an origin of the list, or a parent. A session that a person's credential
 * opened is a person's, whatever it calls its origin.
 */
export function classifyOrigin(session: unknown, policy?: unknown): OriginClass {
  const { origin, originClass, parentSessionId } = record(session);
  if (originClass === "human" || originClass === "user") return "user";
  const { userOrigins, closableOrigins } = resolveOriginPolicy(policy);
  if (userOrigins.some((pattern) => matchesOrigin(origin, pattern))) return "user";
  if (closableOrigins.some((pattern) => matchesOrigin(origin, pattern))) return "closable";
  return filled(parentSessionId) === undefined ? "user" : "closable";
}
