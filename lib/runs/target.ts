import { AppError } from "../core/errors.ts";
import type { Memo } from "../memos/memo.ts";
import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
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
  if (target.kind === "new") return undefined;
  const named = target.kind === "memo" ? target.id : payloadValue(payload, target.path);
  if (named === null || named === undefined || named === "") {
    if (target.kind === "payload") return undefined;
    throw new AppError("target_missing", `target [[${target.ref}]] is gone`, { memoId: target.ref });
  }
  const memoId = String(named);
  const memo = await readMemo(deps, ownerUid, memoId);
  if (!memo) throw new AppError("target_missing", `target memo ${memoId} does not exist`, { memoId });
  if (memo.memoType === "workflow") {
    throw new AppError("target_forbidden", `target memo ${memoId} is a workflow`, { memoId });
  }
  return memo;
}

function payloadValue(payload: Plan["payload"], path: string): unknown {
  let value: unknown = payload;
  for (const key of path.replace(/^payload\./, "").split(".")) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
