import type { Memo, MemoType } from "./memo.ts";
import { createPostings, type Variant } from "./postings.ts";
import { type Query, tagsFit } from "./query.ts";
import { alsoCalled, isStopWord, misspelling, stemOf, wordsOf } from "./words.ts";

/** Words of one query that count; a question has fewer, and a pasted page would make every memo a hit. */
const QUERY_MAX_WORDS = 32;

/** Occurrences that one in this field counts for: a title says what a memo is about, a tag of what kind it is. */
const COUNTS_FOR = { title: 4, tag: 3, body: 1, notes: 1 };

/** What counts less than the word itself: another name for it, a longer word, a guess at a misspelling. */
const WEIGHT = { alsoCalled: 0.5, startsWith: 0.4, misspelt: 0.4 };

type Indexed = {
  slot: number;
  memoId: string;
  contentVersion: number;
  tags: readonly string[];
  memoType: MemoType;
  updatedAt: number;
};
export type Candidate = { memoId: string; score: number; contentVersion: number };
export type IndexFilter = Pick<Query, "tags" | "notTags"> & { memoType?: MemoType; updatedSince: number };

/**
 * One owner's memos by their words (BM25), in memory. Each memo counts with the newest version it was given.
 * Own postings, since general engines took three times the 2 s that 10,000 memos may take, and 90 ms a question.
 */
export function createSearchIndex() {
  const postings = createPostings();
  const bySlot: (Indexed | undefined)[] = [];
  const byMemo = new Map<string, Indexed>();
  /** Versions of tombstones: an older version that comes late stays out. */
  const removed = new Map<string, number>();
  const free: number[] = [];
  const stems = new Map<string, string>();

  /** The stem of a word, empty for one that is not indexed. */
  function indexedStem(word: string): string {
    let stem = stems.get(word);
    if (stem === undefined) stems.set(word, (stem = isStopWord(word) ? "" : stemOf(word)));
    return stem;
  }

  const isNewer = (memoId: string, contentVersion: number): boolean =>
    contentVersion > Math.max(byMemo.get(memoId)?.contentVersion ?? 0, removed.get(memoId) ?? 0);

  function take(memoId: string): void {
    const known = byMemo.get(memoId);
    if (!known) return;
    postings.remove(known.slot);
    bySlot[known.slot] = undefined;
    free.push(known.slot);
    byMemo.delete(memoId);
  }

  function variantsOf(stem: string): Variant[] {
    const variants: Variant[] = [{ stem, weight: 1 }];
    for (const other of alsoCalled(stem)) variants.push({ stem: other, weight: WEIGHT.alsoCalled });
    if (stem.length >= 4) {
      for (const other of postings.startingWith(stem))
        variants.push({ stem: other, weight: WEIGHT.startsWith });
    }
    // Guessed at only when no memo has the word: `psql` must not find `sql`.
    if (stem.length >= 5 && variants.every((variant) => !postings.has(variant.stem))) {
      for (const other of postings.like(stem, 2)) {
        if (misspelling(stem, other)) variants.push({ stem: other, weight: WEIGHT.misspelt });
      }
    }
    return variants;
  }

  return {
    /** Whether the index has not seen this version yet. */
    isNewer,

    /** Puts a version in place of an older one of its memo. */
    put(memo: Memo): void {
      const { memoId, contentVersion, memoType, updatedAt } = memo;
      if (!isNewer(memoId, contentVersion)) return;
      take(memoId);
      const slot = free.pop() ?? bySlot.length;
      const tags = [...memo.tags, ...memo.notesTags];
      const counts = new Map<string, number>();
      let length = 0;
      const count = (text: string, weight: number, stemOfWord: (word: string) => string) => {
        for (const word of wordsOf(text)) {
          const stem = stemOfWord(word);
          if (stem === "") continue;
          counts.set(stem, (counts.get(stem) ?? 0) + weight);
          length++;
        }
      };
      // A stop word in a title may be all that a question has ("The Who"); elsewhere it only costs memory.
      count(memo.title, COUNTS_FOR.title, stemOf);
      for (const tag of tags) count(tag, COUNTS_FOR.tag, indexedStem);
      count(memo.body, COUNTS_FOR.body, indexedStem);
      count(memo.notes, COUNTS_FOR.notes, indexedStem);
      postings.add(slot, counts, length);
      const indexed = { slot, memoId, contentVersion, tags, memoType, updatedAt };
      bySlot[slot] = indexed;
      byMemo.set(memoId, indexed);
    },

    /** Takes a memo out that was deleted at this version. */
    remove(memoId: string, contentVersion: number): void {
      take(memoId);
      removed.set(memoId, contentVersion);
    },

    /** Takes out every memo that the library no longer lists. */
    keepOnly(memoIds: ReadonlySet<string>): void {
      for (const memoId of byMemo.keys()) if (!memoIds.has(memoId)) take(memoId);
      for (const memoId of removed.keys()) if (!memoIds.has(memoId)) removed.delete(memoId);
    },

    /** The `top` memos that fit the words best; without a word, those that pass the filter, newest first. */
    find(words: string, filter: IndexFilter, top: number): Candidate[] {
      const asked = questionStems(words);
      const scores = asked.length > 0 ? postings.scores(asked.map(variantsOf)) : undefined;
      const candidates: { memo: Indexed; score: number }[] = [];
      for (const slot of scores?.keys() ?? bySlot.keys()) {
        const memo = bySlot[slot];
        if (!memo || !passes(memo, filter)) continue;
        candidates.push({ memo, score: scores?.get(slot) ?? 1 });
      }
      candidates.sort((a, b) => b.score - a.score || newestFirst(a.memo, b.memo));
      return candidates.slice(0, top).map(({ memo: { memoId, contentVersion }, score }) => ({
        memoId,
        contentVersion,
        score,
      }));
    },
  };
}
export type SearchIndex = ReturnType<typeof createSearchIndex>;

/** The stems that a question asks for: its telling words, or all when it has no other. */
function questionStems(words: string): string[] {
  const all = wordsOf(words);
  const telling = all.filter((word) => !isStopWord(word));
  return [...new Set((telling.length > 0 ? telling : all).map(stemOf))].slice(0, QUERY_MAX_WORDS);
}

/** By id where the times are equal, so that the same question has the same answer everywhere. */
const newestFirst = (a: Indexed, b: Indexed): number =>
  b.updatedAt - a.updatedAt || (a.memoId < b.memoId ? -1 : 1);

const passes = (memo: Indexed, filter: IndexFilter): boolean =>
  memo.updatedAt >= filter.updatedSince &&
  (filter.memoType === undefined || memo.memoType === filter.memoType) &&
  tagsFit(memo.tags, filter);
