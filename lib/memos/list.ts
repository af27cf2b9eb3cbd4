import * as z from "zod";
import type { Catalog } from "./catalog.ts";
import type { Memo, MemoEntry, MemoType } from "./memo.ts";
import { foldTag, tagsFit } from "./query.ts";

/** Where a list goes on: after the memo whose last change has this number. */
export const ListPlace = z.strictObject({ before: z.int().min(1) });
export type ListPlace = z.infer<typeof ListPlace>;

export type ListRequest = {
  tags: readonly string[];
  memoType: MemoType | undefined;
  limit: number;
  after: ListPlace | null;
};

/** A page of the owner's memos, newest change first; what changes meanwhile is not shown twice. */
export async function listMemos(
  deps: { catalog: Catalog },
  ownerUid: string,
  { tags, memoType, limit, after }: ListRequest,
): Promise<{ items: MemoEntry[]; next: ListPlace | null }> {
  const wanted = { tags: tags.map(foldTag), notTags: [] };
  const entries = await deps.catalog.entries(ownerUid);
  const rest = entries.filter(
    (entry) =>
      entry.changeSeq < (after?.before ?? Infinity) &&
      (memoType === undefined || entry.memoType === memoType) &&
      tagsFit(entry.tags, wanted),
  );
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(entryOf),
    next: last && rest.length > page.length ? { before: last.changeSeq } : null,
  };
}

/** What lists show of a memo. */
export function entryOf(memo: MemoEntry | Memo): MemoEntry {
  const { memoId, title, tags, memoType, visibility, contentVersion, updatedAt } = memo;
  return { memoId, title, tags, memoType, visibility, contentVersion, updatedAt };
}
