import type { Catalog } from "../../lib/memos/catalog.ts";

/** The titles of an owner's memos by their ids; null where the memo is gone. */
export async function memoTitles(
  { catalog }: { catalog: Pick<Catalog, "entries"> },
  ownerUid: string,
): Promise<(memoId: string) => string | null> {
  const entries = await catalog.entries(ownerUid);
  const titles = new Map(entries.map(({ memoId, title }) => [memoId as string, title]));
  return (memoId) => titles.get(memoId) ?? null;
}
