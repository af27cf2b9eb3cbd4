import { mergeTexts, type Merged } from "../holds/merge.ts";
import type { FrozenProposal } from "../holds/proposal.ts";
import type { Memo } from "../memos/memo.ts";
import { readMemo, readMemoVersion } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import type { Verdict } from "./run.ts";

/** The three sides of a conflict as they stand now. */
export type ConflictSides = {
  /** The version that the draft was made on; undefined for a memo that was to be new. */
  base: Memo | undefined;
  /** The memo as it is now; undefined when it was deleted. */
  theirs: Memo | undefined;
  merged: Merged | null;
  allowed: readonly Verdict[];
  /** Why fewer verdicts are allowed than a conflict has. */
  why: string | null;
};

/** Reads what a draft and its target have become to each other. */
export async function conflictSides(
  deps: { memos: MemoStore },
  ownerUid: string,
  draft: FrozenProposal,
): Promise<ConflictSides> {
  const { target, zone, text } = draft;
  const theirs = await readMemo(deps, ownerUid, target.memoId);
  const base =
    target.kind === "update" ? await readMemoVersion(deps, ownerUid, target.memoId, target.base) : undefined;
  const APART: readonly Verdict[] = ["keep_both", "reject"];
  if (!theirs) return { base, theirs, merged: null, allowed: APART, why: "the memo was deleted" };
  const sides = { base: base?.[zone] ?? "", theirs: theirs[zone], draft: text };
  const merged = mergeTexts(sides, theirs.contentVersion);
  // Model output never changes a workflow, also when its memo became one after the draft was made.
  if (theirs.memoType === "workflow") {
    return { base, theirs, merged, allowed: APART, why: "the memo is a workflow now" };
  }
  return { base, theirs, merged, allowed: ["rebase", "replace", ...APART], why: null };
}
