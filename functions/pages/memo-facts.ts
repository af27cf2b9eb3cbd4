import { inParallel } from "../../lib/core/in-parallel.ts";
import type { MemoEntry } from "../../lib/memos/memo.ts";
import type { MemoUse, OpenHold } from "../../lib/pages/memo.tsx";
import { listHolds } from "../../lib/runs/list-holds.ts";
import type { Manifest } from "../../lib/workflows/manifest.ts";
import type { PageDeps } from "./page-deps.ts";

/** Most workflows that are compiled, and holds that are read, to say what a memo has to do with them. */
const LOOKED_AT = 25;
const AT_ONCE = 8;

/** The workflows that name a memo, of those changed last. */
export async function usesOf(
  { catalog, workflows }: Pick<PageDeps, "catalog" | "workflows">,
  ownerUid: string,
  memo: Pick<MemoEntry, "memoId" | "title">,
): Promise<{ uses: MemoUse[]; unread: number }> {
  const entries = await catalog.workflows(ownerUid);
  const found = await inParallel(entries.slice(0, LOOKED_AT), AT_ONCE, ({ memoId }) =>
    workflows.byId(ownerUid, memoId),
  );
  const uses = found.flatMap((workflow) => {
    if (!workflow?.compiled.ok) return [];
    const { manifest } = workflow.compiled;
    const how = howUsed(manifest, memo);
    const { command } = manifest.trigger;
    return how.length > 0
      ? [{ workflowId: workflow.memo.memoId as string, command, title: manifest.title, how }]
      : [];
  });
  return { uses, unread: Math.max(0, entries.length - LOOKED_AT) };
}

function howUsed({ load, steps, policy }: Manifest, { memoId, title }: Pick<MemoEntry, "memoId" | "title">) {
  const loads = load.flatMap((each) =>
    each.class !== "search" && each.memo.id === memoId ? [each.class] : [],
  );
  const included = steps.some(
    (step) =>
      step.kind === "context" &&
      step.include.some((what) => what === `memo:${title}` || what === `memo:${memoId}`),
  );
  const written = policy.target.kind === "memo" && policy.target.id === memoId;
  return [...new Set([...loads, ...(included ? ["include"] : []), ...(written ? ["target"] : [])])];
}

/** Holds that would change a memo, of the oldest that are open. */
export async function holdsOn(
  deps: Pick<PageDeps, "runs">,
  ownerUid: string,
  memoId: string,
): Promise<OpenHold[]> {
  const { items } = await listHolds(deps, ownerUid, { limit: LOOKED_AT, after: null });
  return items.flatMap(({ holdId, title, openedAt, target }) =>
    target?.memoId === memoId ? [{ holdId: holdId as string, title, openedAt }] : [],
  );
}
