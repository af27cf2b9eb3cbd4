import { AppError } from "../core/errors.ts";
import type { Catalog } from "../memos/catalog.ts";
import { ownMemo } from "../memos/edit.ts";
import type { Memo } from "../memos/memo.ts";
import type { MemoStore } from "../memos/store.ts";
import { isId } from "../core/ids.ts";

/** The owner's memo of an id or an exact title. @throws {AppError} memo_not_found; invalid_request for a title of several */
export async function namedMemo(
  deps: { memos: MemoStore; catalog: Catalog },
  ownerUid: string,
  idOrTitle: string,
): Promise<Memo> {
  if (isId("memo", idOrTitle)) return ownMemo(deps, ownerUid, idOrTitle);
  const [first, ...others] = await deps.catalog.byTitle(ownerUid, idOrTitle);
  if (!first) {
    const memoId = idOrTitle.slice(0, 200);
    throw new AppError("memo_not_found", `there is no memo of the id or title "${memoId}"`, { memoId });
  }
  if (others.length === 0) return ownMemo(deps, ownerUid, first.memoId);
  const ids = [first, ...others].slice(0, 5).map(({ memoId }) => memoId);
  const message = `${others.length + 1} memos have that title; use one of ${ids.join(", ")}`;
  throw new AppError("invalid_request", message, { failing: [{ pointer: "/id", message }] });
}
