import { AppError } from "../../lib/core/errors.ts";
import type { Principal, Scope } from "../../lib/core/principal.ts";
import type { HttpEvent } from "./http-event.ts";
import { claimsOf, personOf, signedInCursorKey, type SignIn } from "./sign-in.ts";

/** What the authorizer puts into the context: texts only, since HTTP APIs pass no others on unchanged. */
export type AuthorizerContext = {
  /** JSON text of the principal; empty when no valid key was sent. */
  principal: string;
  /** What the cursors of this owner are signed with. */
  cursorKey?: string;
  /** `1` when the keys could not be read: the caller may try again with the same key. */
  unavailable?: string;
};

/** Who is calling, and what the cursors of the owner's lists are signed with. */
export type Caller = { principal: Principal; cursorKey: string };

/**
 * Whom the authorizer found, or whose token the gateway has verified where signing in is set up.
 * @throws {AppError} unauthenticated, or storage_unavailable when the authorizer could not look the key up
 */
export function authenticate(event: HttpEvent, signIn?: SignIn): Caller {
  const claims = signIn && claimsOf(event);
  const person = signIn && claims && personOf(signIn, claims);
  if (person) return { principal: person, cursorKey: signedInCursorKey(signIn, person.ownerUid) };
  const context = claims ? undefined : contextOf(event.requestContext.authorizer);
  if (context?.unavailable) {
    throw new AppError("storage_unavailable", "the key could not be looked up", {
      operation: "authorizer",
      requestId: undefined,
    });
  }
  if (!context?.principal) throw new AppError("unauthenticated", "no valid key was sent", {});
  // Only our authorizer writes this context, so its JSON text is ours.
  return { principal: JSON.parse(context.principal) as Principal, cursorKey: context.cursorKey ?? "" };
}

/** @throws {AppError} scope_missing */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.includes(scope)) return;
  throw new AppError("scope_missing", `this key lacks the scope ${scope}`, { scope });
}

/** HTTP APIs nest a lambda authorizer's context under `lambda`; REST APIs do not. */
function contextOf(authorizer: unknown): AuthorizerContext | undefined {
  if (typeof authorizer !== "object" || authorizer === null) return undefined;
  if ("lambda" in authorizer) return (authorizer.lambda ?? undefined) as AuthorizerContext | undefined;
  return authorizer as AuthorizerContext;
}
