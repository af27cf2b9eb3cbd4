import MiniSearch from "minisearch";
import type { Memo, MemoType } from "./memo.ts";
import { type Query, tagsFit } from "./query.ts";
import { alsoCalled, isStopWord, misspelling, stemOf, wordsOf } from "./words.ts";

/** Words of one query that count; a question has fewer, and a pasted page would make every memo a hit. */
const QUERY_MAX_WORDS = 32;

/** A title says what a memo is about, a tag of what kind it is. */
const BOOST = { title: 2, tags: 2, body: 1, notes: 1 };

/** What counts less than the word itself: another name for it, a longer word, a guess at a misspelling. */
const WEIGHT = { alsoCalled: 0.5, prefix: 0.4, fuzzy: 0.4 };

/** Shorter words begin or resemble too many others. */
const STARTS_MIN_LENGTH = 4;
const GUESS_MIN_LENGTH = 5;

type Indexed = {
  memoId: string;
  contentVersion: number;
  tags: readonly string[];
  memoType: MemoType;
  updatedAt: number;
};
type Scored = { memo: Indexed; score: number };
export type Candidate = { memoId: string; score: number; contentVersion: number };
export type IndexFilter = Pick<Query, "tags" | "notTags"> & { memoType?: MemoType; updatedSince: number };

/** One owner's memos by their words (BM25), in memory. Each memo counts with the newest version it was given. */
export function createSearchIndex() {
  const known = new Map<string, Indexed>();
  /** Versions of tombstones: an older version that comes late stays out. */
  const removed = new Map<string, number>();
  const stems = new Map<string, string>();
  const engine = createEngine(stemOnce);

  /** The stem of a word, empty for a stop word. */
  function stemOnce(word: string): string {
    let stem = stems.get(word);
    if (stem === undefined) stems.set(word, (stem = isStopWord(word) ? "" : stemOf(word)));
    return stem;
  }

  const isNewer = (memoId: string, contentVersion: number): boolean =>
    contentVersion > Math.max(known.get(memoId)?.contentVersion ?? 0, removed.get(memoId) ?? 0);

  /** Terms of the library that one which no memo has may be meant for. */
  function guessesOf(asked: string): string[] {
    const like = new Set<string>();
    engine.search(asked, {
      fuzzy: 2,
      boostDocument: (_memoId, term) => {
        like.add(term);
        return 0;
      },
    });
    return [...like].filter((other) => other[0] === asked[0] && misspelling(asked, other));
  }

  /** What fits the terms, by score; a memo that has more of them comes before one that has one more often. */
  function ranked(asked: readonly string[], filter: IndexFilter, top: number): Scored[] {
    const weights = new Map<string, number>();
    const askedAs = new Map<string, string>();
    const ask = (term: string, weight: number, asWord: string) => {
      if (weights.has(term)) return;
      weights.set(term, weight);
      askedAs.set(term, asWord);
    };
    const search = () =>
      engine.search([...weights.keys()].join(" "), {
        boostTerm: (term) => weights.get(term) ?? 1,
        prefix: (term) => weights.get(term) === 1 && term.length >= STARTS_MIN_LENGTH,
      });
    for (const term of asked) ask(term, 1, term);
    for (const term of asked) for (const other of alsoCalled(term)) ask(other, WEIGHT.alsoCalled, term);
    let results = search();
    const found = new Set<string | undefined>();
    for (const { queryTerms } of results) {
      for (const term of queryTerms) found.add(askedAs.get(term));
      if (found.size === asked.length) break;
    }
    // Guessed at only when no memo has the word: `psql` must not find `sql`.
    const missing = asked.filter((term) => term.length >= GUESS_MIN_LENGTH && !found.has(term));
    const guesses = missing.flatMap((term) => guessesOf(term).map((other) => [other, term] as const));
    for (const [other, term] of guesses) ask(other, WEIGHT.fuzzy, term);
    if (guesses.length > 0) results = search();

    const best: Scored[] = [];
    for (const { id, score: engineScore, queryTerms } of results) {
      // The engine sorts by its score, and none is above it here.
      if (best.length === top && engineScore < (best.at(-1)?.score ?? 0)) break;
      const memo = known.get(id as string);
      if (!memo || !passes(memo, filter)) continue;
      // The engine counts a word once more for each of its other names.
      const words = new Set(queryTerms.map((term) => askedAs.get(term))).size;
      best.push({ memo, score: engineScore * (words / queryTerms.length) });
      best.sort((a, b) => b.score - a.score || newestFirst(a.memo, b.memo));
      if (best.length > top) best.pop();
    }
    return best;
  }

  const newest = (filter: IndexFilter, top: number): Scored[] =>
    [...known.values()]
      .filter((memo) => passes(memo, filter))
      .sort(newestFirst)
      .slice(0, top)
      .map((memo) => ({ memo, score: 1 }));

  return {
    /** Whether the index has not seen this version yet. */
    isNewer,

    /** Puts a version in place of an older one of its memo. */
    put(memo: Memo): void {
      const { memoId, contentVersion, memoType, updatedAt } = memo;
      if (!isNewer(memoId, contentVersion)) return;
      if (known.has(memoId)) engine.replace(memo);
      else engine.add(memo);
      known.set(memoId, { memoId, contentVersion, tags: tagsOf(memo), memoType, updatedAt });
    },

    /** Takes a memo out that was deleted at this version. */
    remove(memoId: string, contentVersion: number): void {
      if (known.delete(memoId)) engine.discard(memoId);
      removed.set(memoId, contentVersion);
    },

    /** Takes out every memo that the library no longer lists. */
    keepOnly(memoIds: ReadonlySet<string>): void {
      const gone = [...known.keys()].filter((memoId) => !memoIds.has(memoId));
      for (const memoId of gone) known.delete(memoId);
      engine.discardAll(gone);
      for (const memoId of removed.keys()) if (!memoIds.has(memoId)) removed.delete(memoId);
    },

    /** The `top` memos that fit the words best; without a word, those that pass the filter, newest first. */
    find(words: string, filter: IndexFilter, top: number): Candidate[] {
      const asked = questionStems(words);
      const hits = asked.length > 0 ? ranked(asked, filter, top) : newest(filter, top);
      return hits.map(({ memo: { memoId, contentVersion }, score }) => ({ memoId, contentVersion, score }));
    },
  };
}
export type SearchIndex = ReturnType<typeof createSearchIndex>;

function createEngine(stemOnce: (word: string) => string) {
  return new MiniSearch<Memo>({
    idField: "memoId",
    fields: Object.keys(BOOST),
    extractField: (memo, field) =>
      field === "tags"
        ? tagsOf(memo).join(" ")
        : (memo[field as "title" | "body" | "notes" | "memoId"] as string),
    tokenize: wordsOf,
    // A stop word in a title may be all that a question has ("The Who"); elsewhere it only costs memory.
    processTerm: (word, field) => (field === "title" ? stemOf(word) : stemOnce(word)),
    // In one go: the engine fails when a memo is added while a vacuum waits between two batches.
    autoVacuum: { batchSize: Infinity },
    searchOptions: {
      boost: BOOST,
      weights: WEIGHT,
      bm25: { k: 1.2, b: 0.7, d: 0.5 },
      // What is asked comes as stems.
      tokenize: (stemsAsked) => stemsAsked.split(" "),
      processTerm: (stem) => stem,
    },
  });
}

const tagsOf = (memo: Memo): string[] => [...memo.tags, ...memo.notesTags];

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
