import type { Clock } from "../core/clock.ts";
import { HOUR_MS } from "../core/duration.ts";
import type { KeyRecord } from "./key-record.ts";
import type { KeyStore } from "./store.ts";

/** How fine the last use of a key is known: one write an hour and key, however many containers see it. */
const STAMP_EVERY_MS = HOUR_MS;

/** Writes down that a good key was used, at most once an hour; a read that was made anyway tells whether it is time. */
export async function stampUse(
  deps: { keys: Pick<KeyStore, "stampUse">; clock: Clock },
  { keyId, lastUsedAt }: KeyRecord,
): Promise<void> {
  const at = deps.clock.now();
  const before = at - STAMP_EVERY_MS;
  if (lastUsedAt === null || lastUsedAt <= before) await deps.keys.stampUse(keyId, at, before);
}
