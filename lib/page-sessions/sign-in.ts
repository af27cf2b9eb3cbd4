import { actorOf } from "../audit/entry.ts";
import type { Audit } from "../audit/note.ts";
import type { KeyStore } from "../api-keys/store.ts";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { digestOf } from "../core/ids.ts";
import type { Principal } from "../core/principal.ts";
import { LINK_MS, PAGE_SESSION_MS, type PageSession } from "./page-session.ts";
import type { PageSessionStore } from "./store.ts";

type Deps = { pageSessions: PageSessionStore; clock: Clock; secret: () => string; audit: Audit };

type Keys = { keys: Pick<KeyStore, "readKey"> };

/**
 * A link by which this person signs in to the pages, once and soon. Whoever holds it is that person there.
 * @throws {AppError} people_only for an agent's key, which can never become a person
 */
export async function createSignInLink(
  deps: Deps,
  principal: Principal,
): Promise<{ path: string; expiresAt: number }> {
  if (principal.kind !== "human") {
    throw new AppError("people_only", "an agent's key signs nobody in", { kind: principal.kind });
  }
  const token = deps.secret();
  const at = deps.clock.now();
  const expiresAt = at + LINK_MS;
  await deps.audit.note(principal.ownerUid, { ...actorOf(principal, null), act: "sign_in_link_made", at });
  await deps.pageSessions.putLink(nameOf(token), { principal, expiresAt });
  return { path: `/steward/sign-in?t=${token}`, expiresAt };
}

/** Whom a link would sign in; undefined for one that is unknown or late. A used one is known until it is tried. */
export async function linkHolder(
  deps: Pick<Deps, "pageSessions" | "clock"> & Keys,
  token: string,
): Promise<Principal | undefined> {
  const link = await deps.pageSessions.readLink(nameOf(token));
  if (!link || link.expiresAt <= deps.clock.now()) return undefined;
  return (await isStillGood(deps, link.principal)) ? link.principal : undefined;
}

/** Signs in by a link. The secret goes into the cookie and is nowhere else; undefined when the link is used up, late or unknown. */
export async function signInByLink(
  deps: Deps & Keys,
  token: string,
): Promise<{ secret: string; session: PageSession } | undefined> {
  const principal = await linkHolder(deps, token);
  if (!principal) return undefined;
  const secret = deps.secret();
  if (!(await deps.pageSessions.takeLink(nameOf(token), nameOf(secret)))) return undefined;
  return openPageSession(deps, principal, secret);
}

/** Signs in whom somebody else has vouched for. */
export async function openPageSession(
  { pageSessions, clock, audit, secret: randomSecret }: Deps,
  principal: Principal,
  secret = randomSecret(),
): Promise<{ secret: string; session: PageSession }> {
  const createdAt = clock.now();
  const session: PageSession = {
    principal,
    formToken: randomSecret(),
    cursorKey: randomSecret(),
    createdAt,
    expiresAt: createdAt + PAGE_SESSION_MS,
  };
  await audit.note(principal.ownerUid, { ...actorOf(principal, null), act: "signed_in", at: createdAt });
  await pageSessions.putSession(nameOf(secret), session);
  return { secret, session };
}

/** Who is signed in by this cookie; undefined when nobody is, as soon as the key behind it is revoked. */
export async function findPageSession(
  { pageSessions, keys, clock }: Pick<Deps, "pageSessions" | "clock"> & Keys,
  secret: string,
): Promise<PageSession | undefined> {
  const session = await pageSessions.readSession(nameOf(secret));
  if (!session || session.expiresAt <= clock.now()) return undefined;
  return (await isStillGood({ keys }, session.principal)) ? session : undefined;
}

/** Whether the key is good by which a person came; whoever came by an issuer has none. */
async function isStillGood({ keys }: Keys, { keyId }: Principal): Promise<boolean> {
  if (keyId === undefined) return true;
  const key = await keys.readKey(keyId);
  return key !== undefined && key.revokedAt === null;
}

/** Signs out; again it is nothing. */
export const endPageSession = ({ pageSessions }: Pick<Deps, "pageSessions">, secret: string): Promise<void> =>
  pageSessions.removeSession(nameOf(secret));

/** Rows are found by a digest: the time of a lookup tells nothing of a secret, nor does the table. */
const nameOf = (secret: string): string => digestOf(["page", secret]);
