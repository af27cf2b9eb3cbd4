import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Ids } from "../core/ids.ts";
import type { Principal, Scope } from "../core/principal.ts";
import { mayHave, principalOf, shownKey, type KeyKind, type KeyRecord, type ShownKey } from "./key-record.ts";
import type { KeyStore } from "./store.ts";

/** `mk_<keyId>_<secret>`; the secret is 256 bits in base64url. */
const KEY_FORM = /^mk_(key_[A-Za-z0-9]{1,64})_([A-Za-z0-9_-]{43})$/;

/** Compared when no record is found, so that an unknown id takes the time of a known one. */
const NO_MAC = Buffer.alloc(32);

/** Makes a key. Its text is in the answer and nowhere else. @throws {AppError} invalid_request for a scope its kind can never have */
export async function mintKey(
  deps: { keys: Pick<KeyStore, "putKey">; pepper: string; clock: Clock; ids: Ids; secret: () => string },
  input: {
    ownerUid: string;
    uid: string;
    username: string;
    kind: KeyKind;
    label: string;
    scopes: readonly Scope[];
  },
): Promise<{ key: string; record: ShownKey }> {
  const refused = input.scopes.filter((scope) => !mayHave(input.kind, scope));
  if (refused.length > 0) {
    const failing = refused.map((scope) => ({ pointer: "/scopes", message: `${scope} is for people only` }));
    throw new AppError("invalid_request", `an agent's key cannot have ${refused.join(", ")}`, { failing });
  }
  const keyId = deps.ids("key");
  const key = `mk_${keyId}_${deps.secret()}`;
  const record: KeyRecord = {
    keyId,
    ownerUid: input.ownerUid,
    uid: input.uid,
    username: input.username,
    kind: input.kind,
    label: input.label,
    scopes: [...input.scopes],
    mac: macOf(deps.pepper, key).toString("hex"),
    createdAt: deps.clock.now(),
    revokedAt: null,
  };
  // A taken id is our own write whose answer was lost: ids cannot be guessed.
  await deps.keys.putKey(record);
  return { key, record: shownKey(record) };
}

/** Whom a presented key stands for; undefined for anything that is not a good key. Throws only for the store. */
export async function verifyKey(
  deps: { keys: Pick<KeyStore, "readKey">; pepper: string },
  presented: string,
): Promise<Principal | undefined> {
  const keyId = KEY_FORM.exec(presented)?.[1];
  const record = keyId === undefined ? undefined : await deps.keys.readKey(keyId);
  // Digests have one length whatever was sent: the comparison cannot throw and tells nothing by its time.
  const stored = record ? Buffer.from(record.mac, "hex") : NO_MAC;
  const isEqual = stored.length === NO_MAC.length && timingSafeEqual(macOf(deps.pepper, presented), stored);
  if (!record || !isEqual || record.revokedAt !== null) return undefined;
  return principalOf(record);
}

const macOf = (pepper: string, key: string): Buffer =>
  createHmac("sha256", pepper).update(key, "utf8").digest();
