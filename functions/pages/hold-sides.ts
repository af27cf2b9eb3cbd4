import { readMemo, readMemoVersion } from "../../lib/memos/read.ts";
import type { HoldModel, MemoSide } from "../../lib/pages/hold.tsx";
import { ownHold } from "../../lib/runs/hold-access.ts";
import { readProposal } from "../../lib/runs/output-step.ts";
import type { Run } from "../../lib/runs/run.ts";
import type { PageDeps } from "./page-deps.ts";

/** The target as the draft found it, and as it is now where that is another version. */
export async function sidesOf(
  deps: PageDeps,
  ownerUid: string,
  proposal: HoldModel["hold"]["proposal"],
): Promise<Pick<HoldModel, "before" | "now" | "memo">> {
  if (!proposal) return { before: null, now: null, memo: null };
  const { target, zone } = proposal;
  const current = await readMemo(deps, ownerUid, target.memoId);
  const memo = current ? { title: current.title, contentVersion: current.contentVersion } : null;
  if (target.kind === "create") return { before: null, now: null, memo };
  const isSame = current?.contentVersion === target.base;
  const base = isSame ? current : await readMemoVersion(deps, ownerUid, target.memoId, target.base);
  const side = (of: typeof current): MemoSide | null =>
    of
      ? {
          contentVersion: of.contentVersion,
          text: of[zone],
          tags: zone === "body" ? of.tags : of.notesTags,
          updatedAt: of.updatedAt,
          writtenBy: of.writtenBy.username,
        }
      : null;
  return { before: side(base), now: isSame ? null : side(current), memo };
}

/** The draft that was sent back, whose changes this one makes. */
export async function earlierText(deps: PageDeps, run: Run, revises: string | null): Promise<string | null> {
  if (revises === null) return null;
  const { gate } = await ownHold(deps, run.ownerUid, revises);
  return (await readProposal(deps.runs, run.runId, gate))?.text ?? null;
}
