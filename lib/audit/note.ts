import { canonicalJson } from "../core/canonical-json.ts";
import { digestOf } from "../core/ids.ts";
import { padded } from "../core/keys.ts";
import type { AuditEntry } from "./entry.ts";
import type { AuditStore } from "./store.ts";

/** Puts acts on record. */
export type Audit = {
  /**
   * One row, before the act is written: what could not be put on record is not done. The same act of the same time is
   * the same row. With `mayRepeat` it is so at any later time too: the first time counts, at the cost of a second row.
   */
  note(ownerUid: string, entry: AuditEntry, how?: { mayRepeat: boolean }): Promise<void>;
};

export function createAudit(store: Pick<AuditStore, "firstAt" | "append">): Audit {
  return {
    async note(ownerUid, entry, { mayRepeat } = { mayRepeat: false }) {
      // A repeat may come from another session, by another key of the same person.
      const { at: _at, sessionId: _session, keyId: _key, ...act } = entry;
      const digest = digestOf([canonicalJson(act)]);
      const at = mayRepeat ? await store.firstAt(ownerUid, digest, entry.at) : entry.at;
      await store.append(ownerUid, `${padded(at)}#${digest}`, { ...entry, at });
    },
  };
}
