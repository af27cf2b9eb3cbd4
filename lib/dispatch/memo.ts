import type { Clock } from "../core/clock.ts";
import { AppError, ERRORS, isAppError, storedError } from "../core/errors.ts";
import type { Id } from "../core/ids.ts";
import type { MemoContent } from "../memos/memo.ts";
import { readMemo, versionWrittenBy } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import { writeMemo, type MemoWrite } from "../memos/write.ts";
import type { FrozenProposal, ProposalSource } from "../holds/proposal.ts";
import type { Dispatcher, LandingOutcome, LostTo } from "./destination.ts";

/**
 * Lands a proposal as one memo version: a new memo, or an update of exactly the version that the draft was
 * frozen on. A person's later edit is never written over.
 */
export function createMemoDispatcher(deps: {
  memos: MemoStore;
  clock: Clock;
  /** Tags that workflows of the owner listen to. */
  listened?: (ownerUid: string) => Promise<ReadonlySet<string>>;
  /** Tells what the landing brought; a repeat of the landing tells it again. */
  onLanded?: (ownerUid: string, memoId: string) => Promise<void>;
}): Dispatcher {
  const landed = async (
    ownerUid: string,
    version: { memoId: string; contentVersion: number; repeated: boolean },
  ): Promise<LandingOutcome> => {
    await deps.onLanded?.(ownerUid, version.memoId);
    return { outcome: "landed", ...version };
  };
  return async ({ ownerUid, runId, workflowId, sessionId, requestedBy, writeToken, proposal }) => {
    const { target } = proposal;
    const memoId = target.memoId as Id<"memo">;
    const moved = proposal.source && (await sourceMoved(deps, ownerUid, proposal.source));
    if (moved) {
      // Our own landing changes the target's hash, so an attempt that has landed must be found first.
      const contentVersion = await versionWrittenBy(deps, ownerUid, memoId, writeToken);
      if (contentVersion === undefined) return lost(deps, moved);
      return landed(ownerUid, { memoId, contentVersion, repeated: true });
    }
    const tags = await deps.listened?.(ownerUid);
    const written = await writeUnlessRefused(deps, {
      ownerUid,
      memoId,
      base: target.kind === "create" ? null : target.base,
      content: contentOf(proposal),
      writeToken,
      writtenBy: requestedBy,
      sessionId,
      runId,
      telling: tags && { tags, workflows: false, madeBy: workflowId },
    });
    if (written.outcome === "written") {
      const { contentVersion } = written.memo;
      return landed(ownerUid, { memoId, contentVersion, repeated: written.repeated });
    }
    // Refused for what it is, before anything was written: trying again would be refused again, for ever.
    if (written.outcome === "refused") return lost(deps, written.error);
    const expected = target.kind === "create" ? null : target.base;
    if (written.outcome === "gone") {
      return lost(
        deps,
        new AppError("target_missing", `memo ${memoId} was deleted after the draft was frozen`, { memoId }),
        { memoId, expected, actual: null },
      );
    }
    const { actual } = written;
    const message = `memo ${memoId} is at version ${actual ?? "none"}; the draft was frozen on ${expected ?? "none"}`;
    const lostTo = { memoId, expected, actual };
    return lost(deps, new AppError("dispatch_conflict", message, lostTo), lostTo);
  };
}

async function writeUnlessRefused(deps: { memos: MemoStore; clock: Clock }, write: MemoWrite) {
  try {
    return await writeMemo(deps, write);
  } catch (error) {
    if (isAppError(error) && ERRORS[error.code].httpStatus < 500)
      return { outcome: "refused" as const, error };
    throw error;
  }
}

function contentOf(proposal: FrozenProposal): Partial<MemoContent> {
  const { target, zone, text, tags, title } = proposal;
  const zoneText = zone === "body" ? { body: text } : { notes: text };
  const content = { ...zoneText, tags: tags.body, notesTags: tags.notes };
  if (target.kind === "update") return content;
  // A created memo is always a note: model output can never make a workflow.
  return { body: "", ...content, title, memoType: "note", visibility: target.visibility };
}

/** The move guard: why the source is not what the producer saw; undefined when it is. */
export async function sourceMoved(
  deps: { memos: MemoStore },
  ownerUid: string,
  source: ProposalSource,
): Promise<AppError | undefined> {
  const { memoId } = source;
  const memo = await readMemo(deps, ownerUid, memoId);
  if (!memo) return new AppError("source_moved", `source memo ${memoId} is gone`, { memoId });
  const zone =
    source.contentHash !== undefined && source.contentHash !== memo.contentHash
      ? "body"
      : source.notesHash !== undefined && source.notesHash !== memo.notesHash
        ? "notes"
        : undefined;
  return zone && new AppError("source_moved", `the ${zone} of source memo ${memoId} has changed`, { memoId });
}

const lost = (deps: { clock: Clock }, error: AppError, lostTo?: LostTo): LandingOutcome => ({
  outcome: "lost",
  error: storedError(error, deps.clock.now()),
  ...(lostTo && { lostTo }),
});
