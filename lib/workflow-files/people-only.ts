import { AppError } from "../core/errors.ts";
import type { PrincipalKind } from "../core/principal.ts";

/** Who acts for a person by credential, but is none: a program may not switch on what people alone may. */
const PROGRAMS: ReadonlySet<PrincipalKind> = new Set(["agent", "chat", "loop"]);

/**
 * Looked at when something is enqueued, and again when its run begins, since a rerun or a fork may be asked for by
 * somebody else.
 * @throws {AppError} people_only for an input that this kind of principal may not set to true
 */
export function checkPeopleOnly(kind: PrincipalKind, payload: unknown, names: readonly string[]): void {
  if (!PROGRAMS.has(kind) || typeof payload !== "object" || payload === null) return;
  const given = payload as Record<string, unknown>;
  const name = names.find((each) => Object.hasOwn(given, each) && given[each] === true);
  if (name === undefined) return;
  throw new AppError("people_only", `only people and schedules may set ${name} to true`, { kind });
}
