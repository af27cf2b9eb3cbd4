import type { Catalog } from "../memos/catalog.ts";
import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import { parseWorkflow } from "../workflows/parse.ts";

/** A workflow that a gained tag starts. */
export type Listener = { workflowId: string; tags: ReadonlySet<string> };

/** What is remembered of workflow versions in one container; far above any library of people. */
const MAX_KNOWN = 2000;

/** The workflows of a library that listen to tags: those that are live or staged, as their memos are now. */
export function createListeners(deps: { memos: MemoStore; catalog: Catalog }) {
  const known = new Map<string, Listener | null>();

  async function listenerOf(
    ownerUid: string,
    entry: { memoId: string; contentVersion: number },
  ): Promise<Listener | null> {
    const key = `${ownerUid}#${entry.memoId}#${entry.contentVersion}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const memo = await readMemo(deps, ownerUid, entry.memoId);
    const listener = memo ? read(memo.memoId, memo.body) : null;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, listener);
    return listener;
  }

  return {
    async listeners(ownerUid: string): Promise<Listener[]> {
      const entries = await deps.catalog.workflows(ownerUid);
      const found = await Promise.all(entries.map((entry) => listenerOf(ownerUid, entry)));
      return found.filter((listener) => listener !== null);
    },

    /** Every tag that somebody listens to. */
    async tags(ownerUid: string): Promise<ReadonlySet<string>> {
      return new Set((await this.listeners(ownerUid)).flatMap(({ tags }) => [...tags]));
    },
  };
}
export type Listeners = ReturnType<typeof createListeners>;

function read(workflowId: string, body: string): Listener | null {
  const { trigger } = parseWorkflow(body).draft;
  if (!trigger || (trigger.status !== "live" && trigger.status !== "staged")) return null;
  const tags = trigger.invoke.flatMap((way) => (way.kind === "memo" ? [way.tag] : []));
  if (tags.length === 0) return null;
  return { workflowId, tags: new Set(tags) };
}
