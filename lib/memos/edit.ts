import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Id, Ids } from "../core/ids.ts";
import { type Principal, requesterOf } from "../core/principal.ts";
import {
  type Memo,
  MemoType,
  TAG_MAX_LENGTH,
  TAGS_MAX,
  type Telling,
  TITLE_MAX_LENGTH,
  Visibility,
} from "./memo.ts";
import { readMemo } from "./read.ts";
import type { MemoStore } from "./store.ts";
import { deleteMemo, type NotWritten, writeMemo } from "./write.ts";

const Tags = z.array(z.string().max(TAG_MAX_LENGTH)).max(TAGS_MAX);

/** What a caller sends to make a memo. */
export const NewMemo = z.strictObject({
  title: z
    .string()
    .max(TITLE_MAX_LENGTH)
    .refine((title) => title.trim() !== "", "must have a character that is not white space"),
  body: z.string(),
  tags: Tags.exactOptional(),
  notes: z.string().exactOptional(),
  notesTags: Tags.exactOptional(),
  memoType: MemoType.exactOptional(),
  visibility: Visibility.exactOptional(),
});
export type NewMemo = z.infer<typeof NewMemo>;

/** What a caller sends to change a memo: at least one field; the others stay as they are. */
export const MemoChange = z
  .strictObject({
    ...NewMemo.shape,
    title: NewMemo.shape.title.exactOptional(),
    body: z.string().exactOptional(),
  })
  .refine((change) => Object.keys(change).length > 0, "must change at least one field");
export type MemoChange = z.infer<typeof MemoChange>;

/** Who writes, as the credential and the session header say. */
export type Author = { principal: Principal; sessionId: string | null };

type Deps = {
  memos: MemoStore;
  clock: Clock;
  ids: Ids;
  /** What of a write is to be told to whom listens; nothing when absent. */
  telling?: (ownerUid: string) => Promise<Telling>;
};

/** A memo of the owner. @throws {AppError} memo_not_found, for another owner's memo as for an unknown one */
export async function ownMemo(deps: Pick<Deps, "memos">, ownerUid: string, memoId: string): Promise<Memo> {
  const memo = await readMemo(deps, ownerUid, memoId);
  if (!memo) throw notFound(memoId);
  return memo;
}

/** @throws {AppError} scope_missing, body_too_large */
export async function createMemo(
  deps: Deps,
  { principal, sessionId }: Author,
  content: NewMemo,
): Promise<Memo> {
  if (content.memoType === "workflow") requireWorkflows(principal);
  const memoId = deps.ids("memo");
  const written = await writeMemo(deps, {
    ownerUid: principal.ownerUid,
    memoId,
    base: null,
    content,
    writeToken: deps.ids("write"),
    writtenBy: requesterOf(principal),
    sessionId,
    runId: null,
    telling: await deps.telling?.(principal.ownerUid),
  });
  if (written.outcome !== "written") throw lost(memoId, null, written);
  return written.memo;
}

/** @throws {AppError} memo_not_found, memo_version_conflict, scope_missing, body_too_large */
export async function changeMemo(
  deps: Deps,
  { principal, sessionId }: Author,
  target: { memoId: string; base: number },
  change: MemoChange,
): Promise<Memo> {
  const { base } = target;
  const { ownerUid } = principal;
  const { memoId, memoType } = await ownMemo(deps, ownerUid, target.memoId);
  if (memoType === "workflow" || change.memoType === "workflow") requireWorkflows(principal);
  const written = await writeMemo(deps, {
    ownerUid,
    memoId,
    base,
    content: change,
    writeToken: deps.ids("write"),
    writtenBy: requesterOf(principal),
    sessionId,
    runId: null,
    telling: await deps.telling?.(ownerUid),
  });
  if (written.outcome !== "written") throw lost(memoId, base, written);
  return written.memo;
}

/** Leaves a tombstone. @throws {AppError} memo_not_found, memo_version_conflict, scope_missing */
export async function removeMemo(
  deps: Deps,
  principal: Principal,
  target: { memoId: string; base: number },
): Promise<Memo> {
  const { base } = target;
  const { ownerUid } = principal;
  const memo = await ownMemo(deps, ownerUid, target.memoId);
  if (memo.memoType === "workflow") requireWorkflows(principal);
  const { memoId } = memo;
  const deleted = await deleteMemo(deps, { ownerUid, memoId, base, writeToken: deps.ids("write") });
  if (deleted.outcome !== "deleted") throw lost(memoId, base, deleted);
  return memo;
}

function lost(memoId: Id<"memo">, expected: number | null, result: NotWritten): AppError {
  if (result.outcome === "gone") return notFound(memoId);
  const { actual } = result;
  const message = `${memoId} is at version ${actual ?? "none"}, not at ${expected ?? "none"}`;
  return new AppError("memo_version_conflict", message, { memoId, expected, actual });
}

const notFound = (memoId: string): AppError =>
  new AppError("memo_not_found", `there is no memo ${memoId.slice(0, 200)}`, {
    memoId: memoId.slice(0, 200),
  });

function requireWorkflows(principal: Principal): void {
  const scope = "workflows:write";
  if (principal.scopes.includes(scope)) return;
  throw new AppError("scope_missing", `writing a workflow needs the scope ${scope}`, { scope });
}

/** A memo as callers see it: without the owner, who is asking, and the token of the write. */
export function memoView(memo: Memo): Omit<Memo, "ownerUid" | "writeToken"> {
  const { ownerUid: _ownerUid, writeToken: _writeToken, ...view } = memo;
  return view;
}
