import { AppError } from "../core/errors.ts";
import type { Source } from "../core/source.ts";
import type { Catalog } from "../memos/catalog.ts";
import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";

/** `memo:<id>` or `memo:<title>`: one memo of the owner, as it stands when the run reads it. */
export function createMemoSource(deps: { memos: MemoStore; catalog: Catalog }): Source {
  return {
    scheme: "memo",
    async read({ ownerUid }, argument) {
      const source = `memo:${argument}`;
      // An empty argument is a payload field that was left out: nothing is meant.
      if (argument === "") return [];
      const memo =
        (await readMemo(deps, ownerUid, argument)) ?? (await readTitled(deps, ownerUid, argument, source));
      if (!memo) throw new AppError("source_unavailable", `there is no memo ${argument}`, { source });
      const { memoId, contentVersion, title, body } = memo;
      return [{ title, text: body, memoId, contentVersion }];
    },
  };
}

async function readTitled(
  deps: { memos: MemoStore; catalog: Catalog },
  ownerUid: string,
  title: string,
  source: string,
) {
  const [first, second] = await deps.catalog.byTitle(ownerUid, title);
  if (second) throw new AppError("source_unavailable", `two memos are titled "${title}"`, { source });
  return first && readMemo(deps, ownerUid, first.memoId);
}
