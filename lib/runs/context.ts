import { AppError } from "../core/errors.ts";
import type { Memo } from "../memos/memo.ts";
import { readMemo } from "../memos/read.ts";
import { estimateTokens } from "../model/model.ts";
import { evaluateCondition } from "../workflows/condition.ts";
import type { Load, Manifest } from "../workflows/manifest.ts";
import { renderTemplate, type Scope } from "../workflows/template.ts";
import type { LoadRecord } from "./plan.ts";
import type { RunnerDeps } from "./runner-deps.ts";

type Deps = Pick<RunnerDeps, "memos" | "searchNotes">;

/** Index of the first step that is not pure; the steps before it are done together when the run starts. */
export const pureSteps = (manifest: Pick<Manifest, "steps">): number =>
  manifest.steps.findIndex(({ kind }) => kind !== "trigger" && kind !== "context");

/** The context steps that belong to the start. One after a process step loads when it is reached. */
export const contextIdsOf = (manifest: Pick<Manifest, "steps">): ReadonlySet<string> =>
  new Set(
    manifest.steps
      .slice(0, pureSteps(manifest))
      .filter(({ kind }) => kind === "context")
      .map(({ id }) => id),
  );

/** Which loads are due: `start` is the context steps of the start, another name is that step. */
export function loadsDue(
  loads: readonly Load[],
  at: "start" | { stepId: string },
  contextIds: ReadonlySet<string>,
) {
  const due = (load: Load): string => {
    if (load.class === "hook") return load.at;
    if (load.class === "search" && load.at !== null && !contextIds.has(load.at)) return load.at;
    return "start";
  };
  return loads.filter((load) => due(load) === (at === "start" ? "start" : at.stepId));
}

/**
 * Resolves loads to memo versions, in the order of the contract. A guaranteed load that is missing throws
 * `gate_unavailable` or `hook_unavailable`; a conditional one is recorded as skipped, with the reason.
 */
export async function resolveLoads(
  deps: Deps,
  ownerUid: string,
  loads: readonly Load[],
  scope: Scope,
): Promise<LoadRecord[]> {
  const records = await Promise.all(loads.map((load) => resolveLoad(deps, ownerUid, load, scope)));
  return records.flat();
}

async function resolveLoad(deps: Deps, ownerUid: string, load: Load, scope: Scope): Promise<LoadRecord[]> {
  switch (load.class) {
    case "gate":
    case "hook": {
      const memo = load.memo.id === null ? undefined : await readMemo(deps, ownerUid, load.memo.id);
      if (memo)
        return [loadedAs(load, memo, load.class === "gate" ? "always loaded" : `loaded at ${load.at}`)];
      const code = load.class === "gate" ? "gate_unavailable" : "hook_unavailable";
      throw new AppError(code, `${load.class} [[${load.memo.ref}]] cannot be loaded`, { ref: load.memo.ref });
    }
    case "trigger": {
      const verdict = evaluateCondition(load.when, scope);
      if (!verdict.holds) return [skipped(load, load.memo.ref, verdict.reason)];
      const memo = load.memo.id === null ? undefined : await readMemo(deps, ownerUid, load.memo.id);
      return [memo ? loadedAs(load, memo, verdict.reason) : skipped(load, load.memo.ref, "the memo is gone")];
    }
    case "search":
      return search(deps, ownerUid, load, scope);
  }
}

async function search(
  deps: Deps,
  ownerUid: string,
  load: Load & { class: "search" },
  scope: Scope,
): Promise<LoadRecord[]> {
  const query = [renderTemplate(load.query, scope), load.filter && renderTemplate(load.filter, scope)]
    .filter(Boolean)
    .join(" ");
  // A template without a value must not load whatever is newest.
  if (query.trim() === "" && load.atLeast === 0) return [skipped(load, load.query, "the query is empty")];
  const hits = query.trim() === "" ? [] : await deps.searchNotes(ownerUid, query, { top: load.top });
  let left = load.maxTokens ?? Infinity;
  const records = hits.map(({ memo, score }, index): LoadRecord => {
    const record = { ...loadedAs(load, memo, `hit ${index + 1} of ${hits.length}`), ref: query, score };
    const { tokens = 0 } = record;
    // A hit that is too long makes room for a shorter one below it.
    const fits = tokens <= left;
    if (fits) left -= tokens;
    const short = `${tokens} tokens do not fit into what is left of max ${load.maxTokens} tokens`;
    return fits ? record : { ...record, loaded: false, reason: `${record.reason}: ${short}` };
  });
  const found = records.filter(({ loaded }) => loaded).length;
  if (found < load.atLeast) {
    const message = `the search "${query}" found ${found} memos of at least ${load.atLeast}`;
    throw new AppError("search_too_few", message, { found, needed: load.atLeast });
  }
  return records.length > 0 ? records : [skipped(load, query, "nothing was found")];
}

const loadedAs = (load: Load, memo: Memo, reason: string): LoadRecord => ({
  ...recordOf(load, load.class === "search" ? load.query : load.memo.ref),
  loaded: true,
  reason,
  memoId: memo.memoId,
  title: memo.title,
  contentVersion: memo.contentVersion,
  tokens: estimateTokens(memo.body),
});

const skipped = (load: Load, ref: string, reason: string): LoadRecord => ({
  ...recordOf(load, ref),
  loaded: false,
  reason,
});

const recordOf = (load: Load, ref: string) => ({
  id: load.id,
  class: load.class,
  at: load.class === "hook" || load.class === "search" ? load.at : null,
  ref,
});
