import * as z from "zod";
import { actorOf } from "../audit/entry.ts";
import type { Audit } from "../audit/note.ts";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { isId, type Ids } from "../core/ids.ts";
import { SCOPES, type Principal } from "../core/principal.ts";
import { shownKey, type ShownKey } from "./key-record.ts";
import { mintKey } from "./keys.ts";
import type { PepperSource } from "./pepper.ts";
import type { KeyStore } from "./store.ts";

/** A text of one line that can be seen whole. */
export const OneLine = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .regex(/^\P{C}*$/u, "must be one line of characters that can be seen");

/** What a caller says of a new key. Whose it is comes from the caller's credential. */
export const NewKey = z
  .strictObject({
    label: OneLine,
    kind: z.enum(["agent", "human"]).default("agent"),
    scopes: z.array(z.enum(SCOPES)).max(SCOPES.length),
    username: OneLine.optional(),
  })
  .refine(({ kind, username }) => kind === "agent" || username === undefined, {
    path: ["username"],
    // It stands beside every decision: a second name would let one person decide as two.
    message: "is for agents; a person's key has the person's own name",
  });
export type NewKey = z.infer<typeof NewKey>;

type Deps = { keys: KeyStore; clock: Clock; audit: Audit };
/** Whoever asks, and the session it is asked in. */
type By = { principal: Principal; sessionId: string | null };

/**
 * A key of the caller's owner, for an agent or for the caller.
 * @throws {AppError} scope_missing for a scope that the caller lacks, invalid_request for one its kind can never have
 */
export async function createKey(
  deps: Deps & { ids: Ids; secret: () => string; peppers: PepperSource },
  { principal, sessionId }: By,
  input: NewKey,
): Promise<{ key: string } & ShownKey> {
  const lacked = input.scopes.find((scope) => !principal.scopes.includes(scope));
  if (lacked) {
    throw new AppError("scope_missing", `a key gives what its maker has; yours lacks ${lacked}`, {
      scope: lacked,
    });
  }
  const { ownerUid, uid } = principal;
  const { key, record } = await mintKey(
    { ...deps, peppers: await deps.peppers() },
    {
      ...input,
      ownerUid,
      uid,
      username: input.username ?? principal.username,
      scopes: SCOPES.filter((scope) => input.scopes.includes(scope)),
    },
  );
  // Behind the write and not before it: of a key that nobody was shown there is nothing to tell, and none is shown
  // that is not on record.
  const { keyId: ofKeyId, createdAt: at } = record;
  await deps.audit.note(ownerUid, { act: "key_made", ...actorOf(principal, sessionId), ofKeyId, at });
  return { key, ...record };
}

/**
 * Takes a key of the caller's owner back; again it answers the same.
 * @throws {AppError} key_not_found, for another owner's key as for an unknown one; own_key unless `self` says that it is meant
 */
export async function revokeKey(
  deps: Deps,
  { principal, sessionId }: By,
  { keyId, self }: { keyId: string; self: boolean },
): Promise<ShownKey> {
  const record = isId("key", keyId) ? await deps.keys.readKey(keyId) : undefined;
  if (record?.ownerUid !== principal.ownerUid) {
    throw new AppError("key_not_found", `there is no key ${keyId}`, { keyId });
  }
  if (record.keyId === principal.keyId && !self) {
    throw new AppError("own_key", `${keyId} is the key of this request`, { keyId });
  }
  if (record.revokedAt !== null) return shownKey(record);
  const at = deps.clock.now();
  const actor = actorOf(principal, sessionId);
  await deps.audit.note(principal.ownerUid, { act: "key_revoked", ...actor, ofKeyId: keyId, at });
  if (await deps.keys.revokeKey(principal.ownerUid, keyId, at)) return shownKey({ ...record, revokedAt: at });
  // Somebody else was first, and theirs stays.
  return shownKey((await deps.keys.readKey(keyId)) ?? record);
}
