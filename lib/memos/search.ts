import { utf8Bytes } from "../core/bytes.ts";
import type { Clock } from "../core/clock.ts";
import type { Catalog } from "./catalog.ts";
import type { Memo, MemoType } from "./memo.ts";
import { foldTag, parseQuery } from "./query.ts";
import type { Change } from "./row.ts";
import { type Candidate, createSearchIndex, type SearchIndex } from "./search-index.ts";
import type { MemoStore } from "./store.ts";

/** Versions read and indexed at a time: bounds the texts in memory while a library is read for the first time. */
const READ_BATCH = 500;
/** Rounds in which stale hits are corrected; each corrects every hit it saw. */
const MAX_ROUNDS = 4;
/** Libraries indexed in one container; the one asked for longest ago is forgotten first. */
const MAX_INDEXES = 20;

export type SearchOptions = {
  /** At most this many hits. */
  top: number;
  /** Hits whose texts do not fit into this many tokens together are left out. */
  maxTokens?: number;
  memoType?: MemoType;
  /** Tags that every hit has, beside those in the query. */
  tags?: readonly string[];
};
export type SearchHit = { memo: Memo; score: number };

type Library = { index: SearchIndex; synced: readonly Change[] | undefined; turn: Promise<void> };

/** Search over each owner's memos by an index in memory that follows the catalog. */
export function createSearch(deps: { memos: MemoStore; catalog: Catalog; clock: Clock }) {
  const libraries = new Map<string, Library>();

  function libraryOf(ownerUid: string): Library {
    const known = libraries.get(ownerUid);
    const library = known ?? { index: createSearchIndex(), synced: undefined, turn: Promise.resolve() };
    libraries.delete(ownerUid);
    libraries.set(ownerUid, library);
    for (const oldest of libraries.keys()) {
      if (libraries.size <= MAX_INDEXES) break;
      libraries.delete(oldest);
    }
    return library;
  }

  /** Brings the index up to the catalog, one caller at a time; a failed turn does not stop the next. */
  async function synced(ownerUid: string): Promise<SearchIndex> {
    const entries = await deps.catalog.entries(ownerUid);
    const library = libraryOf(ownerUid);
    const turn = library.turn.then(() => sync(library, ownerUid, entries));
    library.turn = turn.catch(() => undefined);
    await turn;
    return library.index;
  }

  async function sync(library: Library, ownerUid: string, entries: readonly Change[]): Promise<void> {
    const { index } = library;
    if (library.synced === entries) return;
    const stale = entries.filter((entry) => index.isNewer(entry.memoId, entry.contentVersion));
    for (let from = 0; from < stale.length; from += READ_BATCH) {
      const versions = await deps.memos.versions(ownerUid, stale.slice(from, from + READ_BATCH));
      for (const memo of versions) index.put(memo);
    }
    index.keepOnly(new Set(entries.map((entry) => entry.memoId)));
    library.synced = entries;
  }

  return {
    /**
     * The memos that fit a question best, as they stand now: every hit is read again before it is answered, so
     * nothing deleted or reworded is found. `tag:x`, `-tag:x` and
     * `updated:7d` filter, the other words rank; without words the newest come first.
     */
    async searchMemos(ownerUid: string, query: string, options: SearchOptions): Promise<SearchHit[]> {
      const { words, tags, notTags, updatedWithinMs } = parseQuery(query);
      const filter = {
        tags: [...tags, ...(options.tags ?? []).map(foldTag)],
        notTags,
        updatedSince: updatedWithinMs === null ? 0 : deps.clock.now() - updatedWithinMs,
        ...(options.memoType && { memoType: options.memoType }),
      };
      const index = await synced(ownerUid);
      let hits: SearchHit[] = [];
      for (let round = 1; round <= MAX_ROUNDS; round++) {
        const candidates = index.find(words, filter, options.top);
        const memos = await reread(index, ownerUid, candidates);
        hits = candidates.flatMap(({ memoId, contentVersion, score }) => {
          const memo = memos.get(memoId);
          return memo?.contentVersion === contentVersion ? [{ memo, score }] : [];
        });
        if (hits.length === candidates.length) break;
      }
      return options.maxTokens === undefined ? hits : fitting(hits, options.maxTokens);
    },
  };

  /** The candidates as they stand; what the index had wrong is corrected in it. */
  async function reread(index: SearchIndex, ownerUid: string, candidates: readonly Candidate[]) {
    const memoIds = candidates.map((candidate) => candidate.memoId);
    const heads = await deps.memos.heads(ownerUid, memoIds);
    const live = heads.filter((head) => head.deletedAt === undefined);
    const memos = await deps.memos.versions(ownerUid, live);
    for (const head of heads)
      if (head.deletedAt !== undefined) index.remove(head.memoId, head.contentVersion);
    for (const memo of memos) index.put(memo);
    return new Map<string, Memo>(memos.map((memo) => [memo.memoId, memo]));
  }
}
export type Search = ReturnType<typeof createSearch>;

/** Four bytes a token is what English text has; a hit that is too long makes room for a shorter one below it. */
function fitting(hits: readonly SearchHit[], maxTokens: number): SearchHit[] {
  let left = maxTokens;
  return hits.filter(({ memo }) => {
    const tokens = Math.ceil(utf8Bytes(memo.body) / 4) + Math.ceil(utf8Bytes(memo.notes) / 4);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}
