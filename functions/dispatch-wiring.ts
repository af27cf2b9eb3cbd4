import type { Dispatchers } from "../lib/dispatch/destination.ts";
import { createMemoDispatcher } from "../lib/dispatch/memo.ts";
import { tellOfMemo } from "../lib/intake/save-memo.ts";
import type { libraryOf } from "./library-wiring.ts";
import { tellDepsOf } from "./tell-wiring.ts";
import type { Wiring } from "./wiring.ts";

/** Where runs write to. */
export function dispatchersOf(wiring: Wiring, library: ReturnType<typeof libraryOf>): Dispatchers {
  const tell = tellDepsOf(wiring, library);
  return {
    memo: createMemoDispatcher({
      memos: library.memos,
      clock: wiring.clock,
      listened: (ownerUid) => tell.listeners.tags(ownerUid),
      onLanded: (ownerUid, memoId) => tellOfMemo(tell, ownerUid, memoId),
    }),
  };
}
