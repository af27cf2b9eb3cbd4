import type { Tool } from "../core/tool.ts";
import type { SearchHit } from "../memos/search.ts";
import type { MemoStore } from "../memos/store.ts";
import { createReadMemo } from "./read-memo.ts";
import { createSearchMemos } from "./search-memos.ts";

/** Names of the tools that process steps may name. All of them only read. */
export const READ_TOOLS = ["search_memos", "read_memo"] as const;
export type ReadToolName = (typeof READ_TOOLS)[number];

/** Every tool of a process step, by name. */
export const createReadTools = (deps: {
  memos: MemoStore;
  searchNotes(ownerUid: string, query: string, limits: { top: number }): Promise<SearchHit[]>;
}): Record<ReadToolName, Tool> => ({
  search_memos: createSearchMemos(deps),
  read_memo: createReadMemo(deps),
});
