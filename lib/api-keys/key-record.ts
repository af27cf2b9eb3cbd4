import * as z from "zod";
import { PEOPLE_ONLY, SCOPES, type Principal, type Scope } from "../core/principal.ts";

export const KeyId = z.templateLiteral(["key_", z.string()]);

/** A key as it is stored: everything but its secret. */
export const KeyRecord = z.object({
  keyId: KeyId,
  ownerUid: z.string(),
  uid: z.string(),
  username: z.string(),
  /** Whose key: an agent's, or a person's own. */
  kind: z.enum(["agent", "human"]),
  /** What the key is for, in its maker's words. */
  label: z.string(),
  /** As stored; read them through `principalOf`, which knows what an agent can never have. */
  scopes: z.array(z.string()),
  /** HMAC-sha256 of the key under the pepper, in hexadecimal. */
  mac: z.string(),
  /** Which pepper; absent on keys that were made before there were two. */
  pepperId: z.string().optional(),
  createdAt: z.int(),
  /** Null while the key is good. */
  revokedAt: z.int().nullable(),
  /** To the hour; null until the key is used. */
  lastUsedAt: z.int().nullable().default(null),
});
export type KeyRecord = z.infer<typeof KeyRecord>;
export type KeyKind = KeyRecord["kind"];

/** A record without what only the check of a key may see. */
export type ShownKey = Omit<KeyRecord, "mac" | "pepperId">;

export function shownKey(record: KeyRecord): ShownKey {
  const { mac: _mac, pepperId: _pepperId, ...shown } = record;
  return shown;
}

/** Whom a good key stands for. An agent's key has no people's scope, whatever its record says. */
export function principalOf(record: KeyRecord): Principal {
  const { keyId, kind, ownerUid, uid, username } = record;
  return {
    principalId: kind === "human" ? `human:${uid}` : `agent:${keyId}`,
    kind,
    ownerUid,
    uid,
    username,
    keyId,
    scopes: SCOPES.filter((scope) => record.scopes.includes(scope) && mayHave(kind, scope)),
  };
}

/** Whether a key of this kind can carry a scope at all. */
export const mayHave = (kind: KeyKind, scope: Scope): boolean => kind === "human" || !PEOPLE_ONLY.has(scope);
