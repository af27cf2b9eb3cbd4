import { sha256, utf8Bytes } from "../core/bytes.ts";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Id } from "../core/ids.ts";
import { SHARD } from "../core/keys.ts";
import type { Requester } from "../core/principal.ts";
import { foldWhitespace } from "../core/text.ts";
import { type Memo, MEMO_TEXT_MAX_BYTES, type MemoContent, type Telling, type Untold } from "./memo.ts";
import { versionAt } from "./read.ts";
import { type Head, versionRef } from "./row.ts";
import type { MemoStore } from "./store.ts";

export type MemoWrite = {
  ownerUid: string;
  memoId: Id<"memo">;
  /** The version this write changes; null to create. */
  base: number | null;
  /** What changes; the rest stays as it is in `base`. A new memo needs a title and a body. */
  content: Partial<MemoContent>;
  /** The same for every repeat of this write, and for no other. */
  writeToken: string;
  writtenBy: Requester;
  sessionId: string | null;
  runId: string | null;
  /** What of it is to be told, recorded in the same write as the version; nothing when absent. */
  telling?: Telling | undefined;
};

export type Written = { outcome: "written"; memo: Memo; repeated: boolean };
export type NotWritten =
  /** The memo is not at `base`; null when it does not exist. */
  | { outcome: "conflict"; actual: number | null }
  /** The memo was deleted; its id is never used again. */
  | { outcome: "gone" };

type Deps = { memos: MemoStore; clock: Clock };

/**
 * Makes the next version of a memo, or says why not; a person's text is never replaced unread. Safe to repeat
 * with the same token: the version that the first attempt made is found wherever it stands in the history.
 * @throws {AppError} body_too_large before anything is written
 */
export async function writeMemo(deps: Deps, write: MemoWrite): Promise<Written | NotWritten> {
  const at = deps.clock.now();
  const head = await deps.memos.head(write.ownerUid, write.memoId);
  if ((head?.contentVersion ?? null) !== write.base || head?.deletedAt !== undefined) {
    return landedOrLost(deps, write, head);
  }
  const previous = head && (await versionAt(deps, head, head.bodyRef));
  let memo = nextVersion(write, previous, at);
  const bodyRef = versionRef(memo.contentVersion, memo.writeToken);
  const isNew = await deps.memos.putVersion(memo, head?.bodyRef ?? null);
  // An earlier attempt got this far: its bytes and its time are the version's.
  if (!isNew)
    memo = (await deps.memos.versions(write.ownerUid, [{ memoId: write.memoId, bodyRef }]))[0] ?? memo;
  // Announced before it is visible: a reader that has seen this number looks for the change until it comes.
  const changeSeq = await deps.memos.bumpLibraryVersion(write.ownerUid);
  const untold = untoldOf(write, memo, previous, head?.untold ?? []);
  if (await deps.memos.moveHead({ ...headOf(memo, bodyRef, changeSeq), ...untold }, write.base)) {
    return { outcome: "written", memo, repeated: false };
  }
  return landedOrLost(deps, write, await deps.memos.head(write.ownerUid, write.memoId));
}

export type MemoDeletion = Pick<MemoWrite, "ownerUid" | "memoId" | "writeToken"> & { base: number };

/** Leaves a tombstone in place of the memo; its history stays for the runs that landed in it. */
export async function deleteMemo(
  deps: Deps,
  deletion: MemoDeletion,
): Promise<{ outcome: "deleted"; repeated: boolean } | NotWritten> {
  const { ownerUid, memoId, base, writeToken } = deletion;
  const at = deps.clock.now();
  const head = await deps.memos.head(ownerUid, memoId);
  if (!head || head.deletedAt !== undefined || head.contentVersion !== base) return deletedOrLost(head);
  const changeSeq = await deps.memos.bumpLibraryVersion(ownerUid);
  const { untold: _untold, untoldAt: _untoldAt, untoldShard: _untoldShard, ...told } = head;
  const tombstone: Head = {
    ...told,
    title: "",
    tags: [],
    contentVersion: base + 1,
    writeToken,
    changeSeq,
    updatedAt: at,
    deletedAt: at,
  };
  if (await deps.memos.moveHead(tombstone, base)) return { outcome: "deleted", repeated: false };
  return deletedOrLost(await deps.memos.head(ownerUid, memoId));

  function deletedOrLost(now: Head | undefined): { outcome: "deleted"; repeated: boolean } | NotWritten {
    if (!now) return { outcome: "conflict", actual: null };
    if (now.deletedAt === undefined) return { outcome: "conflict", actual: now.contentVersion };
    return now.writeToken === writeToken ? { outcome: "deleted", repeated: true } : { outcome: "gone" };
  }
}

/** After a lost compare-and-set: the head may have moved on past our own version. */
async function landedOrLost(
  deps: Deps,
  write: MemoWrite,
  head: Head | undefined,
): Promise<Written | NotWritten> {
  if (!head) return { outcome: "conflict", actual: null };
  const contentVersion = (write.base ?? 0) + 1;
  const link = (await deps.memos.chain(head, contentVersion)).at(-1);
  if (link?.contentVersion === contentVersion && link.writeToken === write.writeToken) {
    const memo = await versionAt(deps, head, link.part);
    if (memo) return { outcome: "written", memo, repeated: true };
  }
  if (head.deletedAt !== undefined) return { outcome: "gone" };
  return { outcome: "conflict", actual: head.contentVersion };
}

function nextVersion(write: MemoWrite, previous: Memo | undefined, at: number): Memo {
  const { content } = write;
  const title = content.title ?? previous?.title;
  const body = content.body ?? previous?.body;
  if (title === undefined || body === undefined) {
    throw new AppError("invalid_request", "a new memo needs a title and a body", {
      failing: [{ pointer: title === undefined ? "/title" : "/body", message: "is required for a new memo" }],
    });
  }
  const texts = {
    // Half a surrogate pair cannot be stored: what is read back must be what was hashed.
    body: body.toWellFormed(),
    notes: (content.notes ?? previous?.notes ?? "").toWellFormed(),
  };
  for (const text of [texts.body, texts.notes]) {
    const actual = utf8Bytes(text);
    if (actual <= MEMO_TEXT_MAX_BYTES) continue;
    throw new AppError("body_too_large", `a memo's text has ${actual} bytes of ${MEMO_TEXT_MAX_BYTES}`, {
      limit: MEMO_TEXT_MAX_BYTES,
      actual,
    });
  }
  return {
    ...texts,
    memoId: write.memoId,
    ownerUid: write.ownerUid,
    title: foldWhitespace(title.toWellFormed()),
    tags: distinct(content.tags ?? previous?.tags ?? []),
    notesTags: distinct(content.notesTags ?? previous?.notesTags ?? []),
    memoType: content.memoType ?? previous?.memoType ?? "note",
    visibility: content.visibility ?? previous?.visibility ?? "unlisted",
    contentVersion: (write.base ?? 0) + 1,
    contentHash: sha256(texts.body),
    notesHash: sha256(texts.notes),
    createdAt: previous?.createdAt ?? at,
    updatedAt: at,
    writtenBy: write.writtenBy,
    sessionId: write.sessionId,
    runId: write.runId,
    writeToken: write.writeToken,
  };
}

function headOf(memo: Memo, bodyRef: string, changeSeq: number): Head {
  const { ownerUid, memoId, title, tags, memoType, visibility, contentVersion } = memo;
  const { contentHash, notesHash, writeToken, createdAt, updatedAt } = memo;
  const shown = { title, tags: [...tags], memoType, visibility };
  const version = { contentVersion, contentHash, notesHash, bodyRef, writeToken, changeSeq };
  return { ownerUid, memoId, ...shown, ...version, createdAt, updatedAt };
}

/** What this version brings to tell, behind what an earlier one left untold. */
function untoldOf(
  { telling, writtenBy: by, sessionId }: MemoWrite,
  memo: Memo,
  previous: Memo | undefined,
  earlier: readonly Untold[],
): Pick<Head, "untold" | "untoldAt" | "untoldShard"> {
  const untold = [...earlier];
  if (telling) {
    const { contentVersion } = memo;
    const entry = { contentVersion, by, sessionId, madeBy: telling.madeBy };
    const gained = memo.tags.filter((tag) => telling.tags.has(tag) && !previous?.tags.includes(tag));
    untold.push(...gained.map((tag) => ({ ...entry, tag })));
    const isWorkflow = memo.memoType === "workflow" || previous?.memoType === "workflow";
    if (telling.workflows && isWorkflow) untold.push({ ...entry, tag: null });
  }
  // Told again is harmless, lost is not: the oldest go only where an item would outgrow its row.
  const kept = untold.slice(-UNTOLD_MAX);
  return kept.length > 0 ? { untold: kept, untoldAt: memo.updatedAt, untoldShard: SHARD } : {};
}

/** More than one write can bring: 64 tags. */
const UNTOLD_MAX = 128;

const distinct = (tags: readonly string[]): string[] => [...new Set(tags.map((tag) => tag.toWellFormed()))];
