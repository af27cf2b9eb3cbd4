import { isAppError } from "../core/errors.ts";
import type { Requester } from "../core/principal.ts";
import type { Telling, Untold } from "../memos/memo.ts";
import type { Head } from "../memos/row.ts";
import type { MemoStore } from "../memos/store.ts";
import { enqueueItem, EnqueueRequest, type EnqueueDeps } from "./enqueue-item.ts";
import type { Listener, Listeners } from "./listeners.ts";

/** Most memos that one round of recover tells of again. */
const UNTOLD_PER_TICK = 10;

export type TellDeps = EnqueueDeps & {
  memos: Pick<MemoStore, "head" | "markTold" | "untoldMemos">;
  listeners: Pick<Listeners, "listeners" | "tags">;
  /** A workflow memo was written or is one no more: its lane and its schedules follow. */
  workflowSaved?: (ownerUid: string, workflowId: string) => Promise<void>;
};

/** What a person's or an agent's write is to be told of, for the write itself to record. */
export async function tellingOf(deps: Pick<TellDeps, "listeners">, ownerUid: string): Promise<Telling> {
  return { tags: await deps.listeners.tags(ownerUid), workflows: true, madeBy: null };
}

/**
 * Tells whom it concerns what a memo's writes have brought, and then forgets it: gained tags start the workflows
 * that listen to them. Every part may be repeated, so a crash before the end is finished by the next call.
 */
export async function tellOfMemo(deps: TellDeps, ownerUid: string, memoId: string): Promise<void> {
  const head = await deps.memos.head(ownerUid, memoId);
  if (!head?.untold) return;
  const listeners = await deps.listeners.listeners(ownerUid);
  for (const untold of head.untold) {
    if (untold.tag === null) await deps.workflowSaved?.(ownerUid, memoId);
    else await startListeners(deps, head, { ...untold, tag: untold.tag }, listeners);
  }
  await deps.memos.markTold(head);
}

/** Repeats what a crash has left untold. With nothing untold it reads one index. */
export async function tellUntold(deps: TellDeps): Promise<void> {
  const failures: unknown[] = [];
  for (const { ownerUid, memoId } of await deps.memos.untoldMemos(UNTOLD_PER_TICK)) {
    try {
      await tellOfMemo(deps, ownerUid, memoId);
    } catch (error) {
      // It stays untold, and must not keep those behind it from being told of.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function startListeners(
  deps: TellDeps,
  head: Head,
  untold: Untold & { tag: string },
  listeners: readonly Listener[],
): Promise<void> {
  const { memoId, title, tags } = head;
  const { tag, contentVersion, madeBy, sessionId } = untold;
  for (const { workflowId, tags: listened } of listeners) {
    if (!listened.has(tag) || workflowId === madeBy) continue;
    try {
      await enqueueItem(
        deps,
        workflowId,
        { ...askerOf(untold, workflowId), ownerUid: head.ownerUid },
        {
          request: EnqueueRequest.parse({ dedupeKey: `${memoId}#${tag}#${contentVersion}` }),
          payloadText: JSON.stringify({ memoId, title, tags }),
          sessionId,
        },
      );
    } catch (error) {
      // It asks for more than a tag can give, or was deleted since: no repeat would help.
      const isHopeless = isAppError(error) && /^(payload_invalid|workflow_not_found)$/.test(error.code);
      if (!isHopeless) throw error;
    }
  }
}

/**
 * The trigger asks, in the name of whoever wrote the memo: a person may decide what their own note has started,
 * unless the policy's reviewers are others.
 */
const askerOf = ({ by }: Untold, workflowId: string): Requester => ({
  principalId: `loop:${workflowId}`,
  kind: "loop",
  uid: by.uid,
  username: by.username,
});
