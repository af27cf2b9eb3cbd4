import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Ids } from "../core/ids.ts";
import type { Principal, Scope } from "../core/principal.ts";
import { mayHave, principalOf, shownKey, type KeyKind, type KeyRecord, type ShownKey } from "./key-record.ts";
import type { Pepper, Peppers, PepperSource } from "./pepper.ts";
import type { KeyStore } from "./store.ts";

/** `mk_<keyId>_<secret>`; the secret is 256 bits in base64url. */
const KEY_FORM = /^mk_(key_[A-Za-z0-9]{1,64})_([A-Za-z0-9_-]{43})$/;

/** Compared when no record is found, so that an unknown id takes the time of a known one. */
const NO_MAC = Buffer.alloc(32);

/** Makes a key. Its text is in the answer and nowhere else. @throws {AppError} invalid_request for a scope its kind can never have */
export async function mintKey(
  deps: { keys: Pick<KeyStore, "putKey">; peppers: Peppers; clock: Clock; ids: Ids; secret: () => string },
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
    mac: macOf(deps.peppers.current, key).toString("hex"),
    pepperId: deps.peppers.current.pepperId,
    createdAt: deps.clock.now(),
    revokedAt: null,
    lastUsedAt: null,
  };
  // A taken id is our own write whose answer was lost: ids cannot be guessed.
  await deps.keys.putKey(record);
  return { key, record: shownKey(record) };
}

/** A good key: its record, and the pepper it was made with. */
export type FoundKey = { record: KeyRecord; pepper: Pepper };

/** The record of a presented key; undefined for anything that is not a good key. Throws only for the store and the peppers. */
export async function findKey(
  deps: { keys: Pick<KeyStore, "readKey">; peppers: PepperSource },
  presented: string,
): Promise<FoundKey | undefined> {
  const keyId = KEY_FORM.exec(presented)?.[1];
  const record = keyId === undefined ? undefined : await deps.keys.readKey(keyId);
  const peppers = await deps.peppers(record?.pepperId);
  // Digests have one length whatever was sent: the comparison cannot throw and tells nothing by its time.
  const stored = record ? Buffer.from(record.mac, "hex") : NO_MAC;
  const isOf = (pepper: Pepper): boolean =>
    stored.length === NO_MAC.length && timingSafeEqual(macOf(pepper, presented), stored);
  const pepper = candidatesOf(peppers, record).filter(isOf)[0];
  if (!record || !pepper || record.revokedAt !== null) return undefined;
  if (record.pepperId !== undefined && record.pepperId !== pepper.pepperId) return undefined;
  return { record, pepper };
}

/** Whom a presented key stands for; undefined for anything that is not a good key. */
export async function verifyKey(
  deps: Parameters<typeof findKey>[0],
  presented: string,
): Promise<Principal | undefined> {
  const found = await findKey(deps, presented);
  return found && principalOf(found.record);
}

/** Peppers that a record may be of: each where it does not say, and some one where there is nothing to find. */
function candidatesOf({ current, previous }: Peppers, record: KeyRecord | undefined): Pepper[] {
  const both = previous ? [current, previous] : [current];
  if (record && record.pepperId === undefined) return both;
  return [both.find(({ pepperId }) => pepperId === record?.pepperId) ?? current];
}

const macOf = ({ secret }: Pepper, key: string): Buffer =>
  createHmac("sha256", secret).update(key, "utf8").digest();
