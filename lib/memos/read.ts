import type { Id } from "../core/ids.ts";
import type { Catalog } from "./catalog.ts";
import type { Memo } from "./memo.ts";
import type { ChainLink, Head } from "./row.ts";
import type { MemoStore } from "./store.ts";

type Deps = { memos: MemoStore };

/** The memo as it stands, read consistently; undefined when it never existed or was deleted. */
export async function readMemo(deps: Deps, ownerUid: string, memoId: string): Promise<Memo | undefined> {
  const head = await deps.memos.head(ownerUid, memoId);
  return head && head.deletedAt === undefined ? versionAt(deps, head, head.bodyRef) : undefined;
}

/** One version out of the memo's history, also of a deleted memo; undefined when the chain has none. */
export async function readMemoVersion(
  deps: Deps,
  ownerUid: string,
  memoId: string,
  contentVersion: number,
): Promise<Memo | undefined> {
  const head = await deps.memos.head(ownerUid, memoId);
  if (!head) return undefined;
  const link = (await deps.memos.chain(head, contentVersion)).at(-1);
  return link?.contentVersion === contentVersion ? versionAt(deps, head, link.part) : undefined;
}

/** The version that a write made, wherever in the history it now stands; undefined when it never landed. */
export async function versionWrittenBy(
  deps: Deps,
  ownerUid: string,
  memoId: string,
  writeToken: string,
): Promise<number | undefined> {
  const head = await deps.memos.head(ownerUid, memoId);
  if (!head) return undefined;
  const chain = await deps.memos.chain(head, 1);
  return chain.find((link) => link.writeToken === writeToken)?.contentVersion;
}

/** Every version of a memo, newest first, without texts. */
export async function memoHistory(
  deps: Deps,
  ownerUid: string,
  memoId: Id<"memo">,
): Promise<readonly ChainLink[]> {
  const head = await deps.memos.head(ownerUid, memoId);
  return head ? deps.memos.chain(head, 1) : [];
}

/** Whether a title, or an id, names a memo of the owner. */
export async function hasMemo(
  { memos, catalog }: { memos: MemoStore; catalog: Pick<Catalog, "byTitle"> },
  ownerUid: string,
  ref: string,
): Promise<boolean> {
  if ((await catalog.byTitle(ownerUid, ref)).length > 0) return true;
  const head = await memos.head(ownerUid, ref);
  return head !== undefined && head.deletedAt === undefined;
}

/** The version whose row this is. */
export async function versionAt(deps: Deps, head: Head, bodyRef: string): Promise<Memo | undefined> {
  const [memo] = await deps.memos.versions(head.ownerUid, [{ memoId: head.memoId, bodyRef }]);
  return memo;
}
