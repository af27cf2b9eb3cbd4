import { AppError } from "../core/errors.ts";
import type { Memo } from "../memos/memo.ts";
import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import { namedTarget } from "../workflows/named-target.ts";
import type { Plan } from "./plan.ts";

/**
 * The memo that would be changed, as it is now; undefined when a new one is to be made. Looked at before the first
 * step, so that a target that is not there costs no model call, and again when the proposal is frozen.
 * @throws {AppError} target_missing, target_forbidden
 */
export async function readTarget(
  deps: { memos: MemoStore },
  ownerUid: string,
  { manifest, payload }: Pick<Plan, "manifest" | "payload">,
): Promise<Memo | undefined> {
  const { target } = manifest.policy;
  const memoId = namedTarget(manifest, payload);
  if (memoId === undefined) {
    if (target.kind !== "memo") return undefined;
    throw new AppError("target_missing", `target [[${target.ref}]] is gone`, { memoId: target.ref });
  }
  const memo = await readMemo(deps, ownerUid, memoId);
  if (!memo) throw new AppError("target_missing", `target memo ${memoId} does not exist`, { memoId });
  if (memo.memoType === "workflow") {
    throw new AppError("target_forbidden", `target memo ${memoId} is a workflow`, { memoId });
  }
  return memo;
}
