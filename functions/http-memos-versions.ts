import * as z from "zod";
import { AppError } from "../lib/core/errors.ts";
import { truncate } from "../lib/core/text.ts";
import { memoView, ownMemo } from "../lib/memos/edit.ts";
import type { Memo } from "../lib/memos/memo.ts";
import { memoHistory, readMemoVersion } from "../lib/memos/read.ts";
import type { MemoStore } from "../lib/memos/store.ts";
import type { Paging } from "./middleware/paging.ts";
import { route } from "./middleware/route.ts";

const VersionPlace = z.strictObject({ before: z.int() });

/** What a memo was: its versions, newest first, and any one of them whole. */
export function versionRoutes(deps: { memos: MemoStore }) {
  return {
    "GET /api/memos/{id}/versions": route({
      scope: "memos:read",
      async run({ principal: { ownerUid }, params, paging }) {
        const { memoId } = await ownMemo(deps, ownerUid, params["id"] ?? "");
        return { status: 200, body: await versionsOf(deps, ownerUid, memoId, paging) };
      },
    }),
    "GET /api/memos/{id}/versions/{n}": route({
      scope: "memos:read",
      async run({ principal: { ownerUid }, params }) {
        const { memoId } = await ownMemo(deps, ownerUid, params["id"] ?? "");
        return { status: 200, body: memoView(await versionNamed(deps, ownerUid, memoId, params["n"] ?? "")) };
      },
    }),
  };
}

/** The version of a number as it was written. @throws {AppError} memo_not_found */
export async function versionNamed(
  deps: { memos: MemoStore },
  ownerUid: string,
  memoId: string,
  said: string,
): Promise<Memo> {
  const n = Number(/^[1-9]\d{0,8}$/.exec(said)?.[0]);
  const memo = n ? await readMemoVersion(deps, ownerUid, memoId, n) : undefined;
  if (memo) return memo;
  throw new AppError("memo_not_found", `${memoId} has no version ${truncate(said, 20)}`, { memoId });
}

/** A page of a memo's versions. */
export async function versionsOf(
  deps: { memos: MemoStore },
  ownerUid: string,
  memoId: Memo["memoId"],
  paging: Paging,
) {
  const limit = paging.limit({ max: 100, standard: 25 });
  const below = paging.after(VersionPlace)?.before ?? Infinity;
  const chain = await memoHistory(deps, ownerUid, memoId);
  const links = chain.filter(({ contentVersion }) => contentVersion < below);
  const refs = links.slice(0, limit).map(({ part }) => ({ memoId, bodyRef: part }));
  const versions = await deps.memos.versions(ownerUid, refs);
  const items = versions.sort((a, b) => b.contentVersion - a.contentVersion).map(versionView);
  const last = links.length > limit ? items.at(-1) : undefined;
  return paging.page(items, last && { before: last.contentVersion });
}

/** What a list shows of a version: everything but its texts and tags. */
const SHOWN = [
  "contentVersion",
  "contentHash",
  "notesHash",
  "title",
  "updatedAt",
  "writtenBy",
  "runId",
  "sessionId",
] as const satisfies readonly (keyof Memo)[];

const versionView = (memo: Memo) =>
  Object.fromEntries(SHOWN.map((name) => [name, memo[name]])) as Pick<Memo, (typeof SHOWN)[number]>;
