import type { Clock } from "../core/clock.ts";
import { HOUR_MS, MINUTE_MS } from "../core/duration.ts";
import { foldWhitespace } from "../core/text.ts";
import type { Change } from "./row.ts";
import type { MemoStore } from "./store.ts";

/** How long a change that was announced is looked for: an index lags by less, and a writer may have died. */
export const GAP_MAX_AGE_MS = MINUTE_MS;
/** A view is read anew after this long, so that a change which came later than a minute is not lost for ever. */
export const VIEW_MAX_AGE_MS = HOUR_MS / 4;
/** Libraries kept in one container; the one asked for longest ago is forgotten first. */
const MAX_LIBRARIES = 50;

type View = {
  readAt: number;
  /** The library version up to which the index has been asked. */
  seenUpTo: number;
  /** Numbers announced and not found yet, with the time when each was first missed. */
  gaps: Map<number, number>;
  /** By memo, tombstones too: an old row of the index must not bring a deleted memo back. */
  changes: Map<string, Change>;
  /** Derived when asked for. */
  list: readonly Change[] | undefined;
  titles: Titles | undefined;
};
type Titles = { exact: Map<string, Change[]>; folded: Map<string, Change[]> };

/** What an owner's library holds, kept in memory and brought up to date by the library version at each question. */
export function createCatalog(deps: { memos: MemoStore; clock: Clock }) {
  const views = new Map<string, View>();
  const refreshing = new Map<string, Promise<unknown>>();

  async function view(ownerUid: string): Promise<View> {
    const version = await deps.memos.libraryVersion(ownerUid);
    const known = views.get(ownerUid);
    if (known && isCurrent(known, version, deps.clock.now())) return known;
    // One refresh of a library at a time, each after its own read of the version: a caller sees its own write.
    const turn = (refreshing.get(ownerUid) ?? Promise.resolve()).then(
      () => refresh(ownerUid, version),
      () => refresh(ownerUid, version),
    );
    refreshing.set(ownerUid, turn);
    try {
      return await turn;
    } finally {
      if (refreshing.get(ownerUid) === turn) refreshing.delete(ownerUid);
    }
  }

  async function refresh(ownerUid: string, version: number): Promise<View> {
    const at = deps.clock.now();
    const known = views.get(ownerUid);
    if (known && isCurrent(known, version, at)) return known;
    const isFresh = known !== undefined && at - known.readAt < VIEW_MAX_AGE_MS;
    const before = isFresh ? known : emptyView(at);
    const from = Math.min(before.seenUpTo + 1, ...before.gaps.keys());
    const after = absorb(before, await deps.memos.changes(ownerUid, from), version, at);
    views.delete(ownerUid);
    views.set(ownerUid, after);
    for (const oldest of views.keys()) {
      if (views.size <= MAX_LIBRARIES) break;
      views.delete(oldest);
    }
    return after;
  }

  return {
    /** Every memo of the library, newest change first. The same array until something changes. */
    async entries(ownerUid: string): Promise<readonly Change[]> {
      return listOf(await view(ownerUid));
    },

    /** The memos of this exact title; when there is none, those that differ in case or white space only. */
    async byTitle(ownerUid: string, title: string): Promise<readonly Change[]> {
      const current = await view(ownerUid);
      current.titles ??= titlesOf(listOf(current));
      return current.titles.exact.get(title) ?? current.titles.folded.get(foldTitle(title)) ?? [];
    },

    /** The memos that are workflows, newest change first. */
    async workflows(ownerUid: string): Promise<readonly Change[]> {
      return listOf(await view(ownerUid)).filter((entry) => entry.memoType === "workflow");
    },
  };
}
export type Catalog = ReturnType<typeof createCatalog>;

const emptyView = (at: number): View => ({
  readAt: at,
  seenUpTo: 0,
  gaps: new Map(),
  changes: new Map(),
  list: undefined,
  titles: undefined,
});

const isCurrent = (view: View, version: number, at: number): boolean =>
  version <= view.seenUpTo && view.gaps.size === 0 && at - view.readAt < VIEW_MAX_AGE_MS;

/** The view with what the index answered, and with the numbers that are still missing. */
function absorb(view: View, found: readonly Change[], version: number, at: number): View {
  const changes = new Map(view.changes);
  const seen = new Set<number>();
  let settledSeq = 0;
  for (const change of found) {
    seen.add(change.changeSeq);
    // Whatever was announced before a change this old has come, was replaced by a later one, or never comes.
    if (at - change.updatedAt >= GAP_MAX_AGE_MS) settledSeq = Math.max(settledSeq, change.changeSeq);
    const known = changes.get(change.memoId);
    if (!known || known.changeSeq < change.changeSeq) changes.set(change.memoId, change);
  }
  const seenUpTo = Math.max(view.seenUpTo, version);
  const gaps = new Map<number, number>();
  const keep = (seq: number, missedAt: number) => {
    if (!seen.has(seq) && seq > settledSeq && at - missedAt < GAP_MAX_AGE_MS) gaps.set(seq, missedAt);
  };
  for (const [seq, missedAt] of view.gaps) keep(seq, missedAt);
  for (let seq = Math.max(view.seenUpTo, settledSeq) + 1; seq <= seenUpTo; seq++) keep(seq, at);
  const isSame = found.every((change) => view.changes.get(change.memoId)?.changeSeq === change.changeSeq);
  const derived = isSame ? { list: view.list, titles: view.titles } : { list: undefined, titles: undefined };
  return { readAt: view.readAt, seenUpTo, gaps, changes, ...derived };
}

function listOf(view: View): readonly Change[] {
  view.list ??= [...view.changes.values()]
    .filter((change) => change.deletedAt === undefined)
    .sort((a, b) => b.changeSeq - a.changeSeq);
  return view.list;
}

function titlesOf(list: readonly Change[]): Titles {
  const titles: Titles = { exact: new Map(), folded: new Map() };
  for (const change of list) {
    push(titles.exact, change.title, change);
    push(titles.folded, foldTitle(change.title), change);
  }
  return titles;
}

function push(map: Map<string, Change[]>, key: string, change: Change): void {
  const there = map.get(key);
  if (there) there.push(change);
  else map.set(key, [change]);
}

const foldTitle = (title: string): string => foldWhitespace(title).normalize("NFC").toLowerCase();
