import { afterEach, expect, test, vi } from "vitest";
import { sha256 } from "../../../lib/core/bytes.ts";
import type { Memo } from "../../../lib/memos/memo.ts";
import { createSearchIndex } from "../../../lib/memos/search-index.ts";
import { ALICE } from "./library.ts";

afterEach(() => vi.useRealTimers());

const ANY = { tags: [], notTags: [], updatedSince: 0 };
const memoOf = (n: number, contentVersion: number, body: string): Memo => ({
  memoId: `memo_${n}`,
  ownerUid: "alice",
  title: `Memo ${n}`,
  body,
  tags: [],
  notes: "",
  notesTags: [],
  memoType: "note",
  visibility: "unlisted",
  contentVersion,
  contentHash: sha256(body),
  notesHash: sha256(""),
  createdAt: 0,
  updatedAt: n,
  writtenBy: ALICE,
  sessionId: null,
  runId: null,
  writeToken: "write_1",
});
/** A body of twenty words that no other seed has, and one that all have. */
const bodyOf = (seed: number): string =>
  ["everywhere", ...Array.from({ length: 20 }, (_, n) => `${(seed * 7919 + n).toString(36)}${seed}`)].join(
    " ",
  );

test("an index that was edited often, in pauses too, answers as one that was built anew", async () => {
  vi.useFakeTimers();
  const edited = createSearchIndex();
  for (let round = 1; round <= 6; round++) {
    for (let n = 0; n < 300; n++) edited.put(memoOf(n, round, bodyOf(n * 10 + round)));
    // What the engine left for later runs between the edits.
    await vi.advanceTimersByTimeAsync(10);
  }
  edited.remove("memo_5", 7);
  edited.keepOnly(new Set(Array.from({ length: 200 }, (_, n) => `memo_${n}`)));
  const anew = createSearchIndex();
  for (let n = 0; n < 200; n++) if (n !== 5) anew.put(memoOf(n, 6, bodyOf(n * 10 + 6)));
  const ids = (index: typeof anew, words: string) => index.find(words, ANY, 500).map((hit) => hit.memoId);
  for (const words of ["everywhere", "memo 17", bodyOf(176).split(" ")[3] ?? "", bodyOf(175)]) {
    expect([words, ids(edited, words)]).toEqual([words, ids(anew, words)]);
  }
  expect(ids(anew, "everywhere")).toHaveLength(199);
});
