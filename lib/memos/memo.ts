import * as z from "zod";
import type { Id } from "../core/ids.ts";
import type { Sha256 } from "../core/bytes.ts";
import type { Requester } from "../core/principal.ts";

/** Longest memo body or notes, in UTF-8 bytes: what a run may produce (architecture: 2 MB). */
export const MEMO_TEXT_MAX_BYTES = 2 * 1024 * 1024;

/** Limits of what lists carry: title and tags are in every row of a version, and in the index. */
export const TITLE_MAX_LENGTH = 300;
export const TAGS_MAX = 64;
export const TAG_MAX_LENGTH = 100;

export const MemoType = z.enum(["note", "workflow"]);
export type MemoType = z.infer<typeof MemoType>;

export const Visibility = z.enum(["unlisted", "private", "listed"]);
export type Visibility = z.infer<typeof Visibility>;

/**
 * What a person or a run may set. Two zones, each with its own text, tags and hash: the body, and the notes
 * beside it; a landing in one leaves the other as it is.
 */
export type MemoContent = {
  title: string;
  body: string;
  tags: readonly string[];
  notes: string;
  notesTags: readonly string[];
  memoType: MemoType;
  visibility: Visibility;
};

/** One version of a memo. */
export type Memo = MemoContent & {
  memoId: Id<"memo">;
  ownerUid: string;
  /** 1 for the first version; each write adds one. */
  contentVersion: number;
  /** sha-256 of the body. */
  contentHash: Sha256;
  notesHash: Sha256;
  createdAt: number;
  updatedAt: number;
  writtenBy: Requester;
  sessionId: string | null;
  /** The run that landed this version; null when a person or an agent wrote it. */
  runId: string | null;
  /** Token of the write that made this version; the same write repeated finds it in the chain. */
  writeToken: string;
};

/** Something of a memo's change that others are still to be told. */
export type Untold = {
  /** The tag that was gained; null when a workflow was written. */
  tag: string | null;
  /** The version that brought it. */
  contentVersion: number;
  by: Requester;
  sessionId: string | null;
  /** The workflow whose run landed it, which is not told of its own work. */
  madeBy: string | null;
};

/** What of a write is to be told: gained tags that somebody listens to, and that a workflow changed. */
export type Telling = { tags: ReadonlySet<string>; workflows: boolean; madeBy: string | null };

/** A memo without its texts, as lists and the title lookup have it. */
export type MemoEntry = Pick<
  Memo,
  "memoId" | "title" | "tags" | "memoType" | "visibility" | "contentVersion" | "updatedAt"
>;
