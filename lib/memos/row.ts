import * as z from "zod";
import { isId, type Id } from "../core/ids.ts";
import { MEMOS, padded } from "../core/keys.ts";
import type { Sha256 } from "../core/bytes.ts";
import { MemoType, type Untold, Visibility } from "./memo.ts";

/** Partition key of a memo's rows; a memo id has no `#`, so the owner cannot be forged through it. */
export const memoKey = (ownerUid: string, memoId: string): string => `${ownerUid}#${memoId}`;

export const HEAD_PART = "CUR";

/** Sort key of one version: two writers of one version have two rows, and only one gets into the chain. */
export const versionRef = (contentVersion: number, writeToken: string): string =>
  `BODY#${padded(contentVersion)}#${writeToken}`;

/** Below every row of this version, above every row of the one before. */
export const versionFloor = (contentVersion: number): string => `BODY#${padded(contentVersion)}`;

// Not under `BODY#`, so that a walk of the chain reads no text of a large memo.
export const chunkRef = (ref: string, zone: "body" | "notes", index: number): string =>
  `CHUNK#${ref}#${zone}#${String(index).padStart(4, "0")}`;

const MemoId = z.custom<Id<"memo">>((value) => isId("memo", value));
const Hash = z.custom<Sha256>((value) => typeof value === "string" && value.startsWith("sha256:"));
const Tags = z.array(z.string());

const RequesterRow = z.object({
  principalId: z.string(),
  kind: z.enum(["agent", "human", "chat", "schedule", "loop"]),
  uid: z.string(),
  username: z.string(),
});

const UntoldRow = z.object({
  tag: z.string().nullable(),
  contentVersion: z.number(),
  by: RequesterRow,
  sessionId: z.string().nullable(),
  madeBy: z.string().nullable(),
}) satisfies z.ZodType<Untold>;

/** The current state of a memo: which version holds, and what lists show of it. */
export const Head = z.object({
  ownerUid: z.string(),
  memoId: MemoId,
  title: z.string(),
  tags: Tags,
  memoType: MemoType,
  visibility: Visibility,
  contentVersion: z.number(),
  contentHash: Hash,
  notesHash: Hash,
  /** Sort key of the version's row; of a tombstone, the last version before it. */
  bodyRef: z.string(),
  writeToken: z.string(),
  changeSeq: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Present on a tombstone, which stays for ever: a run must be able to find that it had landed. */
  deletedAt: z.number().optional(),
  /** In the `untold` index while there is something to tell; written with the version that brings it. */
  untoldShard: z.string().optional(),
  untoldAt: z.number().optional(),
  untold: z.array(UntoldRow).optional(),
});
export type Head = z.infer<typeof Head>;

/** Attributes of a head with something untold; a head without them is in no index but its owner's. */
export const UNTOLD = [MEMOS.untold.key, MEMOS.untold.sort, "untold"] as const;

/** One version as stored; its texts are inside, or in chunk rows when the counts are above zero. */
export const VersionRow = z.object({
  memoKey: z.string(),
  part: z.string(),
  memoId: MemoId,
  title: z.string(),
  tags: Tags,
  notesTags: Tags,
  memoType: MemoType,
  visibility: Visibility,
  contentVersion: z.number(),
  contentHash: Hash,
  notesHash: Hash,
  createdAt: z.number(),
  updatedAt: z.number(),
  writtenBy: RequesterRow,
  sessionId: z.string().nullable(),
  runId: z.string().nullable(),
  writeToken: z.string(),
  /** The version this one was written on; null for the first. */
  previousRef: z.string().nullable(),
  body: z.string().optional(),
  notes: z.string().optional(),
  bodyChunks: z.number(),
  notesChunks: z.number(),
});
export type VersionRow = z.infer<typeof VersionRow>;

/** One version in the chain, without its texts. */
export const ChainLink = VersionRow.pick({
  part: true,
  previousRef: true,
  contentVersion: true,
  contentHash: true,
  writeToken: true,
});
export type ChainLink = z.infer<typeof ChainLink>;

/** What the index knows of a memo. */
export const Change = Head.pick({
  memoId: true,
  title: true,
  tags: true,
  memoType: true,
  visibility: true,
  contentVersion: true,
  updatedAt: true,
  bodyRef: true,
  changeSeq: true,
  deletedAt: true,
});
export type Change = z.infer<typeof Change>;
