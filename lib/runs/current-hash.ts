import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import type { Run } from "./run.ts";

/** Where a workflow's text is looked up: among those that come with the project, then in the library. */
export type CurrentDeps = { memos: MemoStore; bundledHashes?: ReadonlyMap<string, string> };

/** The hash of a run's workflow as it is now; undefined when there is none any more. */
export async function currentHash(
  { memos, bundledHashes }: CurrentDeps,
  { ownerUid, workflowId }: Pick<Run, "ownerUid" | "workflowId">,
): Promise<string | undefined> {
  return bundledHashes?.get(workflowId) ?? (await readMemo({ memos }, ownerUid, workflowId))?.contentHash;
}
